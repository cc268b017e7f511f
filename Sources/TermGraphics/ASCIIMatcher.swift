import Model

struct ASCIIMatcher {}

extension Canvas {
    mutating func paintASCII(row: Int) {}
}
