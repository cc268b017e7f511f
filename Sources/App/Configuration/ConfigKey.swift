import Feeds
import HTTP
import Model
import UI

/// A key of the configuration file. A value.
struct ConfigKey: Sendable {
    /// With its sections: "network.timeouts.connect".
    var path: String
    /// The accepted values in words.
    var wants: String
    /// Whether messages must not quote its value.
    var isSecret = false
    /// Applies a value; returns false if it is not accepted.
    var set: @Sendable (ConfigValue, inout Configuration) -> Bool
    /// What is wrong with a value that is not accepted: "is 100KB".
    var problem: @Sendable (ConfigValue) -> String
    /// Which element of a list is not accepted, from 0; nil if it is no list.
    var place: @Sendable (ConfigValue) -> Int?

    init<Value>(
        _ path: String, _ form: ConfigValueParser<Value>, _ property: WritableKeyPath<Configuration, Value> & Sendable,
        isSecret: Bool = false
    ) {
        self.path = path
        self.isSecret = isSecret
        wants = form.wants
        problem = form.problem
        self.place = form.place
        set = { value, configuration in
            guard let read = form.read(value) else { return false }
            configuration[keyPath: property] = read
            return true
        }
    }

    var section: Substring { path.prefix { $0 != "." } }
}

extension ConfigKey {
    /// All keys, in the order of docs/user/configuration.md. A new one needs a line here, one there, and a property of
    /// `Configuration`.
    static let all: [ConfigKey] =
        home + feed + playback + sound + subtitles + cache + prefetch + interface + engagement + forYou + hide
        + desktop + network + tools + keys

    private static let home = [
        ConfigKey("home.sources", .sources, \.home.sources)
    ]

    private static let feed = [
        ConfigKey(
            "feed.sensitive", .name(of: SensitiveMedia.allCases.map(\.rawValue)) { SensitiveMedia(rawValue: $0) },
            \.feed.sensitive),
        ConfigKey("feed.load_more_at", .integer(0...1_000), \.feed.loadMoreAt),
    ]

    private static let playback = [
        ConfigKey("playback.volume", .number(0...100, unit: 100), \.playback.volume),
        ConfigKey("playback.loop", .flag, \.playback.loop),
        ConfigKey(
            "playback.fit", .name(of: PictureFit.allCases.map(\.rawValue)) { PictureFit(rawValue: $0) },
            \.playback.fit),
        ConfigKey(
            "playback.resume_over",
            .duration(.zero ... .seconds(86_400), "from 0 to 1d", such: "60s"), \.playback.resumeOver),
        ConfigKey(
            "playback.seek_step",
            .duration(.milliseconds(100) ... .seconds(3_600), "from 0.1s to 1h", such: "5s"), \.playback.seekStep),
        ConfigKey("playback.data_saver", .flag, \.playback.savesData),
        ConfigKey(
            "playback.sleep", .duration(.zero...BrowseSettings.longestSleep, "from 0 to 1d", such: "30m"),
            \.playback.sleep),
    ]

    private static let sound = [
        ConfigKey(
            "sound.languages",
            .list("a list of languages such as [\"de\", \"en\"]") { value in
                if case .text(let tag) = value, Language.isTag(tag) { tag } else { nil }
            }, \.sound.languages),
        ConfigKey("sound.level", .loudness(-40 ... -5), \.sound.level),
    ]

    private static let subtitles = [
        ConfigKey(
            "subtitles.show",
            .name(of: SubtitleChoice.Show.allCases.map(\.rawValue)) { SubtitleChoice.Show(rawValue: $0) },
            \.subtitles.show),
        ConfigKey(
            "subtitles.languages",
            .list("a list of languages such as [\"de\", \"en\"]") { value in
                if case .text(let tag) = value, Language.isTag(tag) { tag } else { nil }
            }, \.subtitles.languages),
        ConfigKey(
            "subtitles.charset", .text("\"auto\" or an encoding such as \"cp1250\"") { SubtitleCharset($0) },
            \.subtitles.charset),
    ]

    private static let cache = [
        ConfigKey("cache.size", .size(1 << 20...1 << 50), \.cache.size),
        ConfigKey("cache.low_water", .number(0.1...1), \.cache.lowWater),
        ConfigKey(
            "cache.age",
            .duration(.seconds(60) ... .seconds(3_650 * 86_400), "from 1m to 3650d", such: "90d"), \.cache.age),
        ConfigKey(
            "cache.feed_age",
            .duration(.seconds(60) ... .seconds(3_650 * 86_400), "from 1m to 3650d", such: "7d"), \.cache.feedAge),
        ConfigKey("cache.save_every", .saveEvery, \.cache.saveEvery),
        ConfigKey("cache.encrypt", .flag, \.cache.encrypts),
        ConfigKey(
            "cache.key",
            .text("64 hexadecimal digits, as printed by `openssl rand -hex 32`") {
                KeyFile.key(hex: $0).map(Optional.some)
            },
            \.cache.key, isSecret: true),
        ConfigKey(
            "cache.key_file", .text("the path of a file in quotes") { $0.isEmpty ? nil : .some($0) }, \.cache.keyFile),
    ]

    private static let prefetch = [
        ConfigKey("prefetch.ahead", .integer(0...50), \.prefetch.ahead),
        ConfigKey("prefetch.behind", .integer(0...50), \.prefetch.behind),
        ConfigKey("prefetch.concurrent", .integer(1...16), \.prefetch.concurrent),
        ConfigKey(
            "prefetch.buffer",
            .duration(.milliseconds(100) ... .seconds(60), "from 0.1 to 60 seconds", such: "2.0"), \.prefetch.buffer),
        ConfigKey(
            "prefetch.bitrate", .bitrate(16_000...1_000_000_000), \.prefetch.bitrate),
        ConfigKey("prefetch.adaptive", .flag, \.prefetch.isAdaptive),
    ]

    private static let interface = [
        ConfigKey(
            "interface.surface", .name(of: Automatic<PictureMode>.names) { Automatic<PictureMode>($0) },
            \.interface.surface),
        ConfigKey(
            "interface.color", .name(of: Automatic<ColorMode>.names) { Automatic<ColorMode>($0) }, \.interface.color),
        ConfigKey(
            "interface.output", .name(of: Automatic<ScreenOutput>.names) { Automatic<ScreenOutput>($0) },
            \.interface.output),
        ConfigKey("interface.reduced_motion", .flag, \.interface.reducedMotion),
        ConfigKey("interface.plain", .flag, \.interface.isPlain),
        ConfigKey("interface.pause_unfocused", .flag, \.interface.pausesUnfocused),
        ConfigKey(
            "interface.theme", .name(of: Automatic<Theme.Name>.names) { Automatic<Theme.Name>($0) }, \.interface.theme),
        ConfigKey(
            "interface.click_delay",
            .duration(.zero ... .seconds(2), "from 0 to 2 seconds", such: "0.25"), \.interface.clickDelay),
        ConfigKey("interface.gate", .flag, \.interface.hasGate),
        ConfigKey("interface.copy_secrets", .flag, \.interface.copiesSecrets),
    ]

    private static let engagement = [
        ConfigKey("engagement.remember", .flag, \.engagement.remembers),
        ConfigKey("engagement.send", .flag, \.engagement.sends),
        ConfigKey(
            "engagement.name",
            .text("1 to 64 characters in one line") { text in
                let isName = (1...64).contains(text.count) && CleanText.line(text) == text
                return isName ? .some(text) : nil
            }, \.engagement.name),
    ]

    private static let forYou = [
        ConfigKey("for_you.enabled", .flag, \.forYou.isEnabled),
        ConfigKey("for_you.exploration", .number(0...50, unit: 100), \.forYou.exploration),
    ]

    private static let hide = [
        ConfigKey("hide.clips", .hidden("URLs and paths of clips"), \.hide.clips),
        ConfigKey("hide.creators", .hidden("names and URLs of creators"), \.hide.creators),
        ConfigKey("hide.topics", .hidden("topics"), \.hide.topics),
        ConfigKey("hide.sources", .hidden("folders and addresses of feeds"), \.hide.sources),
        ConfigKey("hide.words", .hidden("words in titles"), \.hide.words),
    ]

    private static let desktop = [
        ConfigKey("desktop.mpris", .flag, \.desktop.isPlayer),
        ConfigKey("desktop.control", .flag, \.desktop.hasControl),
        ConfigKey("desktop.inhibit_sleep", .flag, \.desktop.inhibitsSleep),
    ]

    private static let network = [
        ConfigKey(
            "network.proxy",
            .text("an address such as http://proxy.example:3128 or socks5://localhost:1080", ConfigKey.proxy),
            \.network.proxy, isSecret: true),
        ConfigKey(
            "network.user_agent", .text("1 to 200 printable ASCII characters", ConfigKey.userAgent),
            \.network.userAgent),
        timeout("connect", \.network.connectTimeout), timeout("first_byte", \.network.firstByteTimeout),
        timeout("stall", \.network.stallTimeout),
        ConfigKey(
            "network.private_hosts",
            .name(of: URLAccessPolicy.PrivateHosts.allCases.map(\.rawValue)) {
                URLAccessPolicy.PrivateHosts(rawValue: $0)
            }, \.network.privateHosts),
        ConfigKey(
            "network.rewrite", .list("a list such as [{ from = \"http://old/\", to = \"https://new/\" }]", rewrite),
            \.rewrites),
    ]

    private static let tools = [
        ConfigKey("tools.yt_dlp", .text("the path of a program in quotes, or its name") { $0 }, \.tools.ytDLP)
    ]

    /// One for each action. `KeyTable` in UI has the default keys.
    private static let keys = Action.allCases.map { action in
        ConfigKey("keys.\(action.rawValue)", .keys, \.keys[action])
    }

    private static func timeout(
        _ name: String, _ place: WritableKeyPath<Configuration, Duration> & Sendable
    ) -> ConfigKey {
        ConfigKey(
            "network.timeouts.\(name)",
            .duration(.milliseconds(100) ... .seconds(600), "from 0.1 to 600 seconds", such: "10s"), place)
    }

    private static func proxy(_ text: String) -> String?? {
        URLParts(text)?.authority != nil && NetworkOptions.isProxy(text) ? .some(text) : nil
    }

    /// Only text that is safe in a header field (RFC 9110, 5.5).
    private static func userAgent(_ text: String) -> String? {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } && (1...200).contains(text.utf8.count) ? text : nil
    }

    private static func rewrite(_ value: ConfigValue) -> URLRewriter.Rule? {
        guard case .table(let table) = value, Set(table.keys) == ["from", "to"],
            case .text(let from)? = table["from"], case .text(let to)? = table["to"], !from.isEmpty, !to.isEmpty
        else { return nil }
        return URLRewriter.Rule(from: from, to: to)
    }
}
