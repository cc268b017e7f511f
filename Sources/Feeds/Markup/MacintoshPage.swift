/// Macintosh code pages that not every iconv has (Unicode Consortium, VENDORS/APPLE). Below 128 they are ASCII. Pure.
enum MacintoshPage: CaseIterable {
    case croatian, greek, iceland, romanian, turkish

    /// Finds it by a name such as "x-mac-greek", "macGreek", "MacTurk".
    ///
    /// - Parameter name: in lower case, without hyphens and underscores.
    init?(name: String) {
        guard let mac = ["xmac", "mac"].first(where: name.hasPrefix) else { return nil }
        switch name.dropFirst(mac.count) {
        case "croatian": self = .croatian
        case "greek": self = .greek
        case "iceland", "icelandic": self = .iceland
        case "romanian", "romania": self = .romanian
        case "turkish", "turk": self = .turkish
        default: return nil
        }
    }

    /// Adds what `bytes` mean to `text`.
    func add(_ bytes: [UInt8], to text: inout [UInt8]) {
        let scalars = Self.scalars[self] ?? []
        for byte in bytes {
            guard byte >= 0x80 else {
                text.append(byte)
                continue
            }
            text += UTF8.encode(scalars[Int(byte) - 0x80]) ?? UTF8.encodedReplacementCharacter
        }
    }

    private static let scalars: [MacintoshPage: [Unicode.Scalar]] = {
        var scalars: [MacintoshPage: [Unicode.Scalar]] = [:]
        for page in allCases { scalars[page] = Array(page.upper.unicodeScalars) }
        return scalars
    }()

    /// The characters from 128 on.
    private var upper: String {
        switch self {
        case .croatian:
            "ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®Š™´¨≠ŽØ∞±≤≥∆µ∂∑∏š∫ªºΩžø"
                + "¿¡¬√ƒ≈Ć«Č…\u{A0}ÀÃÕŒœĐ—“”‘’÷◊\u{F8FF}©⁄€‹›Æ»–·‚„‰ÂćÁčÈÍÎÏÌÓÔđÒÚÛÙıˆ˜¯πË˚¸Êæˇ"
        case .greek:
            "Ä¹²É³ÖÜ΅àâä΄¨çéèêë£™îï•½‰ôö¦€ùûü†ΓΔΘΛΞΠß®©ΣΪ§≠°·Α±≤≥¥ΒΕΖΗΙΚΜΦΫΨΩ"
                + "άΝ¬ΟΡ≈Τ«»…\u{A0}ΥΧΆΈœ–―“”‘’÷ΉΊΌΎέήίόΏύαβψδεφγηιξκλμνοπώρστθωςχυζϊϋΐΰ\u{AD}"
        case .iceland:
            "ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûüÝ°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø"
                + "¿¡¬√ƒ≈∆«»…\u{A0}ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€ÐðÞþý·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\u{F8FF}ÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ"
        case .romanian:
            "ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ĂȘ∞±≤≥¥µ∂∑∏π∫ªºΩăș"
                + "¿¡¬√ƒ≈∆«»…\u{A0}ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›Țț‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\u{F8FF}ÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ"
        case .turkish:
            "ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø"
                + "¿¡¬√ƒ≈∆«»…\u{A0}ÀÃÕŒœ–—“”‘’÷◊ÿŸĞğİıŞş‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\u{F8FF}ÒÚÛÙ\u{F8A0}ˆ˜¯˘˙˚¸˝˛ˇ"
        }
    }
}
