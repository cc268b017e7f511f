import Wire

/// Where the playlists are found that a master names.
protocol PlaylistFinder {
    /// Says that a playlist will be asked for soon.
    func expect(_ url: String)
    /// Blocks.
    func playlist(at url: String) throws(MediaError) -> MediaPlaylist
}

/// Playlists that flick reads for us.
struct ServedPlaylists: PlaylistFinder {
    let client: ByteClient

    func expect(_ url: String) { client.report(.expect(ByteWant(url: url, role: .playlist))) }
    func playlist(at url: String) throws(MediaError) -> MediaPlaylist { try PlaylistSource.load(url, client: client) }
}
