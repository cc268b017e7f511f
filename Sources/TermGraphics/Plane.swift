/// A fixed block of trivial values without the checks of an array, for the loops that run once a pixel or a cell.
struct Plane<Element: BitwiseCopyable>: ~Copyable {
    let base: UnsafeMutablePointer<Element>
    let count: Int

    init(count: Int, filledWith value: Element) {
        self.count = count
        base = .allocate(capacity: max(count, 1))
        base.initialize(repeating: value, count: count)
    }

    deinit { base.deallocate() }

    subscript(index: Int) -> Element {
        get {
            assert(index >= 0 && index < count)
            return base[index]
        }
        nonmutating set {
            assert(index >= 0 && index < count)
            base[index] = newValue
        }
    }
}
