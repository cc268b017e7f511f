import Model

/// Items that all have one more file of subtitles, before their own. A value.
struct SubtitledList: ItemList {
    let items: any ItemList
    let captions: CaptionLink

    var count: Int { items.count }

    subscript(index: Int) -> Item {
        var item = items[index]
        item.captions.insert(captions, at: 0)
        return item
    }

    func id(at index: Int) -> Item.ID { items.id(at: index) }
}

extension CaptionLink {
    /// A file that the user names: a path or a URL.
    init(named text: String) {
        let isURL = URLParts(text)?.scheme != nil
        self.init(url: isURL ? text : FileURL.url(path: FileURL.absolute(Array(text.utf8))))
    }
}
