import Foundation
import Model
import TestSupport

/// Milliseconds from a command to mpv to the next picture that it reports as complete, measured by a script in mpv.
///
/// - Parameters:
///   - order: in Lua.
///   - pause: between a picture and the next order.
func mpvTimes(of order: String, pause: Duration, count: Int, _ arguments: [String]) throws -> [Double] {
    let base = "\(NSTemporaryDirectory())flick-bench-mpv-\(UUID().uuidString)"
    let (script, output) = ("\(base).lua", "\(base).txt")
    defer {
        unlink(script)
        unlink(output)
    }
    let text = """
        local asked, left, has_begun = nil, \(count), false
        local file = io.open("\(output)", "w")
        mp.register_event("playback-restart", function()
            if asked then
                file:write((mp.get_time() - asked) * 1000, "\\n") file:flush()
                asked, left = nil, left - 1
            elseif has_begun then
                return -- A clip that repeats begins without an order.
            end
            has_begun = true
            if left == 0 then return mp.command("quit") end
            mp.add_timeout(\(pause / .seconds(1)), function()
                asked = mp.get_time()
                \(order)
            end)
        end)
        """
    try Data(text.utf8).write(to: URL(fileURLWithPath: script))
    let program = try PTYProcess(
        ["mpv", "--no-config", "--ao=null", "--really-quiet", "--script=\(script)"] + arguments,
        size: GridSize(columns: 200, rows: 60))
    program.finish(within: .seconds(60))
    let times = try String(contentsOfFile: output, encoding: .utf8).split(separator: "\n").compactMap { Double($0) }
    guard times.count >= count else { throw NotMeasured("mpv obeyed \(times.count) of \(count) orders") }
    return times
}
