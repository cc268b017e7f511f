import Cache
import Feeds
import Model
import Platform

/// What every command needs: the configuration, and where bytes are cached. A value.
public struct Setup: Sendable {
    public var configuration: Configuration
    /// nil if nothing is cached on disk.
    public var cache: CacheOptions?
    /// Where that is kept; nil if no folder for it is known.
    let sourceFile: SourceFile?
    /// What `flick add` put into the home feed.
    public var addedSources: [FeedSource] = []
    /// Problems of the configuration that do not stop flick, one line each.
    public var warnings: [String] = []
    /// The same for the page, where the name of a file must do.
    public var shortWarnings: [String] = []
    /// What is asked about web pages, by everything that has this setup.
    let ytDLP: YTDLP

    /// Reads the configuration: the file `config` if given, otherwise the
    /// user's, if it exists. Blocks. Throws `ConfigError`.
    ///
    /// - Parameter cacheFolder: nil for the user's cache folder.
    public init(config: String?, cacheFolder: String?, keepsCache: Bool) throws(ConfigError) {
        let file = Setup.file(named: config)
        if let file { try Setup.check(file) }
        configuration = file?.configuration ?? Configuration()
        sourceFile = SourceFile(beside: config)
        ytDLP = YTDLP(named: configuration.tools.ytDLP, proxy: configuration.network.proxy)
        if let file { warn(of: file.remarks.filter { $0.weight == .warning }, in: file.path) }
        do throws(AppError) {
            if let file = sourceFile {
                let list = try file.read()
                addedSources = list.sources
                warn(of: list.mistakes, in: file.path)
            }
        } catch {
            warnings.append(error.message)
            shortWarnings.append(error.message)
        }
        if keepsCache { cache = CacheOptions(configuration.cache, folder: Setup.folder(named: cacheFolder)) }
    }

    private mutating func warn(of remarks: [ConfigDiagnostic], in path: String) {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        warnings += remarks.map { $0.text(of: path) }
        shortWarnings += remarks.map { $0.text(of: name) }
    }

    /// The sources of the home feed: those of the configuration, then those that were added.
    public var homeSources: [FeedSource] { Self.homeSources(configuration.home.sources, addedSources) }

    static func homeSources(_ configured: [FeedSource], _ added: [FeedSource]) -> [FeedSource] {
        let known = Set(configured.map(\.text))
        return configured + added.filter { !known.contains($0.text) }
    }

    /// The configuration file to read; nil if none is given and no folder for one is known.
    static func file(named config: String?) -> ConfigFile? {
        let environment = BaseFolder.environment
        let path =
            config.map(absolute) ?? BaseFolder.config.path(environment: environment).map { "\($0)/config.toml" }
        return path.map { ConfigFile(path: $0, mustExist: config != nil, home: environment("HOME")) }
    }

    /// The cache's folder; nil if none is given and no default is known.
    static func folder(named folder: String?) -> String? {
        folder.map(absolute) ?? BaseFolder.cache.path(environment: BaseFolder.environment)
    }

    /// How feeds are read.
    func feedOptions(
        shuffle: UInt64? = nil, order: FeedOptions.Order? = nil, limit: Int? = nil
    ) -> FeedOptions {
        var options = FeedOptions(
            shuffle: shuffle, order: order, limit: limit, rewrites: configuration.rewrites,
            privateHosts: configuration.network.privateHosts, ytDLP: ytDLP,
            savesData: configuration.playback.savesData)
        options.skipsSensitive = configuration.feed.sensitive == .skip
        return options
    }

    private static func check(_ file: ConfigFile) throws(ConfigError) {
        let errors = file.remarks.filter { $0.weight == .error }
        guard let first = errors.first else { return }
        let others = errors.count > 1 ? " (and \(errors.count - 1) more; see `flick doctor`)" : ""
        throw ConfigError(first.text(of: file.path) + others)
    }

    private static func absolute(_ path: String) -> String {
        String(decoding: FileURL.absolute(Array(path.utf8)), as: UTF8.self)
    }
}

extension CacheOptions {
    /// nil without a folder.
    init?(_ cache: Configuration.Cache, folder: String?) {
        guard let folder else { return nil }
        self.init(folder: folder)
        limit = cache.size
        lowWater = cache.lowWater
        age = cache.age
        feedAge = cache.feedAge
        switch cache.saveEvery {
        case .bytes(let count): pieceSize = count
        case .off: savesAtEnd = true
        }
        key = cache.key
    }
}
