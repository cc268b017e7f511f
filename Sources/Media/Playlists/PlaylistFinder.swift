import Wire

/// Finds the playlists that a master playlist names.
protocol PlaylistFinder {
    /// Announces that a playlist will be needed soon.
    func expect(_ url: String)
    /// Blocks.
    func playlist(at url: String) throws(MediaError) -> MediaPlaylist
}

/// Playlists that flick reads from their URLs.
struct ServedPlaylists: PlaylistFinder {
    let client: ByteClient

    func expect(_ url: String) { client.report(.expect(ByteWant(url: url, role: .playlist))) }
    func playlist(at url: String) throws(MediaError) -> MediaPlaylist { try PlaylistSource.load(url, client: client) }
}
