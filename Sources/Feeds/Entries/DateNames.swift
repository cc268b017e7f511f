import Model

/// The words of dates in the languages that feeds are written in, folded (`LetterFold`). Pure.
///
/// Months and days of the week may be cut off behind their third and second
/// letter. An ambiguous abbreviation is not a month.
enum DateNames {
    /// The meanings of a word. Some have two: "mar" is March and Tuesday. A value.
    struct Name: Equatable {
        var month: Int64?
        var isWeekday: Bool
    }

    /// nil for what is neither.
    static func name(_ word: String) -> Name? {
        if let name = english[word] { return name }
        let word = dotted(word)
        let (month, isWeekday) = (months[word] ?? nil, weekdays.contains(word))
        return month == nil && !isWeekday ? nil : Name(month: month, isWeekday: isWeekday)
    }

    /// Whether it is the afternoon, by a word such as "pm"; nil for other words.
    ///
    /// - Parameter isBehindTime: some words mean something else before the time.
    static func half(of word: String, isBehindTime: Bool) -> Bool? {
        switch word {
        case "am", "πμ", "oo": false
        case "pm", "μμ", "os": true
        case "fm" where isBehindTime: false
        case "em" where isBehindTime: true
        default: nil
        }
    }

    /// Words that are ignored: "12 de março de 2024 às 14:05", "um 14:05 Uhr", "12 марта 2024 г. в 14:05".
    static let fillers: Set<String> = [
        "at", "on", "of", "the", "and", "de", "del", "do", "di", "du", "le", "la", "las", "el", "il", "em", "as", "a",
        "e", "y", "alle",
        "ore", "um", "uhr", "den", "der", "kl", "klo", "o", "om", "godz", "v", "ve", "saat", "h",
        "hs", "hrs", "г", "года",
        "год", "в", "р", "року", "о", "ч", "στις", "του", "της", "ob", "feira",
    ]

    // MARK: Tables

    /// Most feeds need only these.
    private static let english: [String: Name] = {
        var names: [String: Name] = [:]
        for (place, month) in [
            "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
            "november", "december",
        ].enumerated() {
            for name in [month, String(month.prefix(3))] {
                names[name] = Name(month: Int64(place) + 1, isWeekday: name == "mar")
            }
        }
        for day in ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] {
            for name in [day, String(day.prefix(3))] { names[name] = Name(month: nil, isWeekday: true) }
        }
        return names
    }()

    /// By whole names and by their beginnings; nil for a beginning that two months share.
    private static let months: [String: Int64?] = {
        var months: [String: Int64?] = [:]
        var whole: [String: Int64] = [:]
        for (place, line) in monthNames.split(separator: "\n").enumerated() {
            let month = Int64(place) + 1
            for name in words(line) {
                whole[name] = month
                for count in stride(from: 3, to: name.unicodeScalars.count, by: 1) {
                    let beginning = String(String.UnicodeScalarView(name.unicodeScalars.prefix(count)))
                    if let other = months[beginning] {
                        if other != month { months[beginning] = .some(nil) }
                    } else {
                        months[beginning] = month
                    }
                }
            }
        }
        return months.merging(whole.mapValues(Optional.some)) { $1 }
    }()

    private static let weekdays: Set<String> = {
        var days: Set<String> = []
        for name in words(Substring(weekdayNames)) {
            for count in stride(from: min(2, name.unicodeScalars.count), through: name.unicodeScalars.count, by: 1) {
                days.insert(String(String.UnicodeScalarView(name.unicodeScalars.prefix(count))))
            }
        }
        return days
    }()

    private static func words(_ text: Substring) -> [String] {
        LetterFold.words(String(text)).map { dotted(String(decoding: $0, as: UTF8.self)) }
    }

    /// Turkish has an i without a dot, which capital letters do not show.
    private static func dotted(_ word: String) -> String {
        word.contains("ı") ? String(word.map { $0 == "ı" ? "i" : $0 }) : word
    }

    /// A line a month, in German, French, Spanish, Italian, Portuguese, Catalan, Dutch, Danish, Norwegian, Swedish,
    /// Finnish, Polish, Czech, Slovak, Hungarian, Romanian, Turkish, Indonesian, Slovenian, Greek, Russian, Ukrainian,
    /// Belarusian, Bulgarian and Arabic. Forms that do not begin like these stand beside them. Croatian is left out:
    /// its listopad is October, and that of Poles and Czechs November.
    private static let monthNames = """
        januar jänner janvier janv enero ene gennaio janeiro gener januari tammikuu tammikuuta styczeń stycznia leden ledna január ianuarie ocak januar Ιανουάριος Ιανουαρίου январь января янв січень січня студзень студзеня януари يناير
        februar feber février févr febrero febbraio fevereiro febrer februari helmikuu helmikuuta luty lutego únor února február februarie şubat Φεβρουάριος Φεβρουαρίου февраль февраля лютий лютого люты лютага февруари فبراير
        märz mars marzo março març maart mrt marts maaliskuu maaliskuuta marzec marca březen března marec március martie mart maret Μάρτιος Μαρτίου март марта березень березня сакавік сакавіка مارس mar мар μαρ
        april avril abril aprile abr abr april huhtikuu huhtikuuta kwiecień kwietnia duben dubna apríl április aprilie nisan Απρίλιος Απριλίου апрель апреля квітень квітня красавік красавіка април أبريل ابريل
        mai mayo maggio maio maig mei maj toukokuu toukokuuta květen května máj május mayıs Μάιος Μαΐου май мая травень травня травня мај مايو maja
        juni juin junio giugno junho juny kesäkuu kesäkuuta czerwiec czerwca červen června čvn jún június iunie haziran Ιούνιος Ιουνίου июнь июня червень червня чэрвень чэрвеня юни يونيو jun ιουν июн
        juli juillet julio luglio julho juliol heinäkuu heinäkuuta lipiec lipca červenec července čvc júl július iulie temmuz Ιούλιος Ιουλίου июль июля липень липня ліпень ліпеня юли يوليو jul ιουλ июл
        august août agosto agost augustus augusti elokuu elokuuta sierpień sierpnia srpen srpna augusztus ağustos agustus avgust Αύγουστος Αυγούστου август августа серпень серпня жнівень жніўня أغسطس اغسطس
        september septembre septiembre setiembre settembre setembro setembre syyskuu syyskuuta wrzesień września září szeptember septembrie eylül Σεπτέμβριος Σεπτεμβρίου сентябрь сентября вересень вересня верасень верасня септември سبتمبر set sep
        oktober octobre octubre ottobre outubro october lokakuu lokakuuta październik października říjen října október octombrie ekim Οκτώβριος Οκτωβρίου октябрь октября жовтень жовтня кастрычнік кастрычніка октомври أكتوبر اكتوبر
        november novembre noviembre novembro marraskuu marraskuuta listopad listopada listopadu noiembrie kasım Νοέμβριος Νοεμβρίου ноябрь ноября листопад листопада лістапад лістапада ноември نوفمبر
        dezember décembre diciembre dicembre dezembro desembre december desember joulukuu joulukuuta grudzień grudnia prosinec prosince decembrie aralık Δεκέμβριος Δεκεμβρίου декабрь декабря грудень грудня снежань снежня декември ديسمبر
        """

    /// Short forms are the beginnings of these, or stand beside them.
    private static let weekdayNames = """
        montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag lundi mardi mercredi jeudi vendredi samedi dimanche
        lunes martes miércoles jueves viernes sábado domingo lunedì martedì mercoledì giovedì venerdì sabato domenica
        segunda terça quarta quinta sexta dilluns dimarts dimecres dijous divendres dissabte diumenge
        maandag dinsdag woensdag donderdag vrijdag zaterdag zondag mandag måndag tirsdag tisdag onsdag torsdag fredag lørdag lördag søndag söndag
        maanantai tiistai keskiviikko torstai perjantai lauantai sunnuntai
        poniedziałek pn wtorek wt środa śr czwartek cz piątek pt sobota sob niedziela ndz nd pondělí po úterý út středa st čtvrtek čt pátek pá neděle ne
        pondelok utorok streda štvrtok piatok nedeľa hétfő kedd szerda csütörtök péntek szombat vasárnap
        luni marți miercuri joi vineri sâmbătă duminică pazartesi pzt salı çarşamba perşembe cuma cumartesi cmt cts pazar
        senin selasa rabu kamis jumat sabtu minggu ahad Δευτέρα Τρίτη Τετάρτη Πέμπτη Παρασκευή Σάββατο Κυριακή
        понедельник пн вторник вт среда ср четверг чт пятница пт суббота сб воскресенье вс понеділок вівторок середа четвер пʼятниця субота неділя нд
        панядзелак аўторак серада чацвер пятніца нядзеля понеделник сряда четвъртък петък събота неделя
        الأحد الاثنين الإثنين الثلاثاء الأربعاء الخميس الجمعة السبت
        """
}
