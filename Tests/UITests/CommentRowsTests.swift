import Foundation
import Model
import Testing

@testable import UI

/// Going through comments, in a sheet of ten rows.
@Suite struct CommentRowsTests {
    /// Comments with these numbers of lines, and a row between them.
    private func rows(_ lines: [Int]) -> CommentRows {
        var list = CommentList()
        _ = list.askAgain()
        let comments = lines.enumerated().map { number, count in
            let text = (0..<count).map { "line \($0)" }.joined(separator: "\n")
            return Comment(id: "\(number)", name: "a", text: text, at: Date(timeIntervalSince1970: 0))
        }
        list.receive(CommentPage(comments: comments), after: nil)
        return CommentRows(
            list, source: .init(item: "a", revision: list.revision, columns: 40, isDense: false, tail: ""))
    }

    private func moved(
        _ rows: CommentRows, by count: Int, pages: Bool = false, from place: (Int, Int)
    ) -> [Int] {
        let moved = rows.moved(by: count, pages: pages, from: place, height: 10, last: max(rows.count - 10, 0))
        return [moved.first, moved.chosen]
    }

    @Test func nextCommentComesIntoViewWhole() {
        // Rows 0 to 2, 4 to 6, 8 to 10, 12 to 14.
        let rows = rows([2, 2, 2, 2])
        #expect(rows.count == 15)
        #expect(moved(rows, by: 1, from: (0, 0)) == [0, 1])
        #expect(moved(rows, by: 1, from: (0, 1)) == [1, 2])
        #expect(moved(rows, by: -1, from: (5, 2)) == [4, 1])
        #expect(moved(rows, by: -1, from: (0, 0)) == [0, 0])
    }

    @Test func longCommentIsReadByRows() {
        // Rows 0 to 20, 22 to 23.
        let rows = rows([20, 1])
        #expect(moved(rows, by: 1, from: (0, 0)) == [1, 0])
        #expect(moved(rows, by: 1, from: (11, 0)) == [14, 1])
        #expect(moved(rows, by: -1, from: (7, 0)) == [6, 0])
    }

    @Test func endsAreReachedAtOnce() {
        let rows = rows([2, 2, 2, 2])
        #expect(moved(rows, by: State.farAway, from: (0, 0)) == [5, 3])
        #expect(moved(rows, by: -State.farAway, from: (5, 3)) == [0, 0])
    }

    @Test func pagesOverlapByARow() {
        let rows = rows([2, 2, 2, 2, 2, 2])
        #expect(moved(rows, by: 1, pages: true, from: (0, 0)) == [9, 3])
        // At the end, the last comment is chosen.
        #expect(moved(rows, by: 1, pages: true, from: (13, 3)) == [13, 5])
        #expect(moved(rows, by: -1, pages: true, from: (9, 3)) == [0, 2])
        #expect(moved(rows, by: -1, pages: true, from: (0, 2)) == [0, 0])
    }
}
