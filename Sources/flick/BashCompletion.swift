/// What the parser's script for bash lacks.
enum BashCompletion {
    /// Completes the arguments of `browse`, whose name may be omitted, and of `help`.
    /// The parser's functions do the work: they receive an extended command line.
    static let ofDefaults = #"""

        # A command line that leaves out "browse".
        __flick_browse() {
            local -a words=("${COMP_WORDS[0]}" browse "${COMP_WORDS[@]:1}")
            local -a COMP_WORDS
            COMP_WORDS=("${words[@]}")
            local -i COMP_CWORD="$((COMP_CWORD + 1))"
            _flick "${@}"
        }

        # "help" takes the name of a subcommand.
        __flick_help() {
            local -a words=("${COMP_WORDS[0]}" "${2}")
            local -a COMP_WORDS
            COMP_WORDS=("${words[@]}")
            local -i COMP_CWORD=1
            _flick "${1}" "${2}" "${1}"
        }

        __flick() {
            if [[ "${COMP_CWORD}" -le 1 ]]; then
                _flick "${@}"
                local -a -r subcommands=("${COMPREPLY[@]}")
                COMPREPLY=()
                __flick_browse "${@}"
                COMPREPLY=("${subcommands[@]}" "${COMPREPLY[@]}")
            elif [[ "${COMP_WORDS[1]}" = help ]]; then
                __flick_help "${@}"
            elif declare -F "_flick_${COMP_WORDS[1]}" > /dev/null; then
                _flick "${@}"
            else
                __flick_browse "${@}"
            fi
        }

        complete -o filenames -F __flick flick
        """#
}
