/// The demuxers of libav that may open a file.
///
/// Left out are those that read other files or addresses (`dash`, `hls`, `concat`, `image2`, `imf`, `sdp`, `vobsub`…),
/// those that make pictures of text, and those of raw samples, which take anything. Playlists are ours to read
/// (`PlaylistDemuxer`).
enum Demuxers {
    /// Films, with or without sound.
    private static let films = [
        "mov", "matroska", "webm", "avi", "flv", "live_flv", "kux", "asf", "asf_o", "ogg", "mpegts", "mpeg", "nut",
        "rm", "nsv", "mxf", "gxf", "wtv", "pva", "dv",
        "avs2", "avs3", "mpegvideo", "m4v", "h261", "h263", "h264", "hevc", "vvc", "evc", "av1", "obu", "ivf", "vc1",
        "vc1test", "dirac", "cavsvideo", "mjpeg", "mjpeg_2000",
        "mpjpeg",
        "smjpeg", "yuv4mpegpipe", "ifv", "ivr", "lxf", "mgsts", "mtv", "mvi", "r3d", "swf", "ty", "viv", "vividas",
        "dhav", "dss", "moflex", "mods", "xmv", "thp", "roq",
        "bink", "smk", "flic", "film_cpk", "idcin", "4xm", "vmd", "wc3movie", "nuv", "avr", "cine", "ser", "filmstrip",
        "dxa", "anm", "bfi", "c93", "rl2", "rpl", "siff",
        "sol", "tmv", "txd", "yop", "amv", "gdv", "hnm", "ipmovie", "iv8", "jv", "lmlm4", "mm", "paf", "psxstr", "sga",
        "tiertexseq", "wsvqa", "alp", "ea", "bethsoftvid",
    ]
    /// Pictures, moving or not.
    private static let pictures = [
        "gif", "apng", "jpegxl_anim", "webp", "jpeg_pipe", "png_pipe", "webp_pipe", "gif_pipe", "bmp_pipe", "tiff_pipe",
        "jpegxl_pipe", "j2k_pipe", "jpegls_pipe", "psd_pipe",
        "qoi_pipe", "exr_pipe", "hdr_pipe", "dds_pipe", "dpx_pipe", "pam_pipe", "pbm_pipe", "pcx_pipe", "pfm_pipe",
        "pgm_pipe", "pgmyuv_pipe", "ppm_pipe", "phm_pipe",
        "sgi_pipe", "sunrast_pipe", "xbm_pipe", "xpm_pipe", "xwd_pipe", "ico", "vbn_pipe", "pictor_pipe", "gem_pipe",
        "qdraw_pipe", "photocd_pipe", "pgx_pipe",
        "cri_pipe", "wbmp_pipe",
    ]
    private static let sounds = [
        "mp3", "aac", "ac3", "ac4", "eac3", "dts", "dtshd", "truehd", "mlp", "flac", "wav", "w64", "aiff", "au", "caf",
        "ape", "wv", "tta", "tak", "mpc", "mpc8", "ofr", "osq",
        "amr", "amrnb", "amrwb", "voc", "shn", "spdif", "s337m", "loas", "latm", "oma", "qcp", "dsf", "iff", "iamf",
        "aax", "adx", "aea", "act", "ast", "sbc", "sox", "xa", "xwma",
        "nistsphere", "ircam", "pvf", "vqf", "wve", "svs", "dfpwm", "bit", "hca", "hcom", "laf", "rso", "sds", "tco",
        "usm", "wady",
    ]

    /// For libav's option `format_whitelist`.
    static let list = (films + pictures + sounds).joined(separator: ",")
}
