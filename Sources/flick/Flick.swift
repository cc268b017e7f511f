import App
import ArgumentParser

@main
struct Flick: ParsableCommand {
    mutating func run() throws {}
}
