import Testing

@testable import App

@Suite struct ConfigLineTests {
    @Test func keysAreFoundWhereverTOMLAllowsThem() throws {
        let lines = try ConfigDocument(
            """
            # a = 1
            top.dotted = 1
            'quoted' = "x # not a comment" # a comment

            [one]
            a = \"\"\"
            fake = 1
            [fake]\"\"\"
            b = '''
            \\''' # ends above
            c = [ # a list
              "]", { d = 1 }, [2,
              3] ]
            e = { f = "}", g.h = 2 }
            [one . two]
            i = 1979-05-27 07:32:00
            [[three]]
            j = "\\"k = 1"
            [[three]]
            l = 1
            """)
        for (path, line) in [
            ("top", 2), ("top.dotted", 2), ("quoted", 3), ("one", 5), ("one.a", 6), ("one.b", 9), ("one.c", 11),
            ("one.c.d", 12), ("one.e", 14), ("one.e.f", 14), ("one.e.g.h", 14), ("one.two", 15), ("one.two.i", 16),
            ("three", 17), ("three.j", 18), ("three.l", 20), ("one.c.0", 12), ("one.c.2", 12), ("three.1", 19),
        ] { #expect(lines.line(of: path) == line, "\(path)") }
        for path in ["a", "fake", "one.fake", "k", "three.k"] { #expect(lines.line(of: path) == nil, "\(path)") }
    }

    @Test func linesMayEndAsOnWindows() throws {
        #expect(try ConfigDocument("[a]\r\nb = 1\r\nc = 2\r\n").line(of: "a.c") == 3)
    }
}
