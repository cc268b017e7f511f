/// The characters of HTML's references: `&eacute;`, `&#233;`. Pure.
package enum HTMLEntity {
    /// The most letters of a name.
    package static let nameLimit = 8

    /// The character of a name without `&` and `;`; nil if HTML 4 has no such name (24, and `apos` of XML). Upper and
    /// lower case differ.
    package static func text(_ name: some StringProtocol) -> String? { names[String(name)] }

    /// The character of a number; nil if no text may contain it (HTML, 13.2.5.80). The control characters 128 to 159
    /// stand for what windows-1252 has in their places, because that is what people meant who wrote them.
    package static func text(number: UInt32) -> String? {
        switch number {
        case 0x80...0x9F: return String(Windows1252.scalar(UInt8(number)))
        case 0x09, 0x0A, 0x0D: break
        case 0..<0x20, 0x7F, 0xFDD0...0xFDEF: return nil
        case let code where code & 0xFFFE == 0xFFFE: return nil
        default: break
        }
        return Unicode.Scalar(number).map { String($0) }
    }

    private static let names: [String: String] = {
        var names: [String: String] = [:]
        for line in table.split(separator: "\n") {
            var code: UInt32 = 0
            for word in line.split(separator: " ") {
                if let first = UInt32(word) {
                    code = first
                } else {
                    names[String(word)] = Unicode.Scalar(code).map { String($0) }
                    code += 1
                }
            }
        }
        return names
    }()

    /// A number, then the names of the characters from there on. `lang` and `rang` are where HTML 5 has them: their old
    /// places are as wide as two cells.
    private static let table = """
        34 quot 38 amp apos 60 lt 62 gt
        160 nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3
        180 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest
        192 Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml
        208 ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig
        224 agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml
        240 eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml
        338 OElig oelig 352 Scaron scaron 376 Yuml 402 fnof 710 circ 732 tilde
        913 Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho
        931 Sigma Tau Upsilon Phi Chi Psi Omega
        945 alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho
        962 sigmaf sigma tau upsilon phi chi psi omega 977 thetasym upsih 982 piv
        8194 ensp emsp 8201 thinsp 8204 zwnj zwj lrm rlm 8211 ndash mdash
        8216 lsquo rsquo sbquo 8220 ldquo rdquo bdquo 8224 dagger Dagger bull 8230 hellip 8240 permil
        8242 prime Prime 8249 lsaquo rsaquo 8254 oline 8260 frasl 8364 euro
        8465 image 8472 weierp 8476 real 8482 trade 8501 alefsym
        8592 larr uarr rarr darr harr 8629 crarr 8656 lArr uArr rArr dArr hArr
        8704 forall 8706 part exist 8709 empty 8711 nabla isin notin 8715 ni 8719 prod 8721 sum minus
        8727 lowast 8730 radic 8733 prop infin 8736 ang 8743 and or cap cup int 8756 there4 8764 sim 8773 cong
        8776 asymp 8800 ne equiv 8804 le ge 8834 sub sup nsub 8838 sube supe 8853 oplus 8855 otimes
        8869 perp 8901 sdot 8968 lceil rceil lfloor rfloor 9674 loz
        9824 spades 9827 clubs 9829 hearts diams 10216 lang rang
        """
}
