"""What a shell offers after `gpuexplorer` when Tab is pressed: for bash, zsh and fish."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from linux.words import Follows, Option, Verb, verbs

_MADE = "# What can be typed after gpuexplorer; made from the program's own arguments."


def write_completions(share: Path) -> None:
    """Where each shell looks for them below a `share`."""
    typed = list(verbs())
    for place, text in (
        ("bash-completion/completions/gpuexplorer", for_bash(typed)),
        ("zsh/vendor-completions/_gpuexplorer", for_zsh(typed)),
        ("fish/vendor_completions.d/gpuexplorer.fish", for_fish(typed)),
    ):
        path = share / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def for_bash(typed: Sequence[Verb]) -> str:
    named = "|".join(verb.name for verb in typed if verb.name)
    lines = [
        _MADE,
        "",
        "_gpuexplorer() {",
        "    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} verb=",
        "    # Bash takes --view=card for three words.",
        "    if [[ $current == = ]]; then",
        "        current=",
        "    elif [[ $before == = ]]; then",
        "        before=${COMP_WORDS[COMP_CWORD-2]}",
        "    fi",
        "    if (( COMP_CWORD > 1 )); then",
        f"        case ${{COMP_WORDS[1]}} in {named}) verb=${{COMP_WORDS[1]}} ;; esac",
        "    fi",
        "    COMPREPLY=()",
        "    case $verb:$before in",
        *(f"        {line}" for verb in typed for line in _bash_values(verb)),
        "    esac",
        "    case $verb in",
    ]
    for verb in typed:
        offered = [name for option in verb.options for name in option.names]
        if not verb.name:
            lines.append("        '')")
            lines.append("            if (( COMP_CWORD == 1 )) && [[ $current != -* ]]; then")
            words = " ".join(each.name for each in typed if each.name)
            lines.append(f"                mapfile -t COMPREPLY < <({_compgen(words)})")
            lines.append("                return")
            lines.append("            fi")
        else:
            lines.append(f"        {verb.name})")
        lines.append(f"            mapfile -t COMPREPLY < <({_compgen(' '.join(offered))})")
        lines.append("            ;;")
    lines += ["    esac", "}", "complete -F _gpuexplorer gpuexplorer", ""]
    return "\n".join(lines)


def _compgen(words: str) -> str:
    return f"compgen -W '{words}' -- \"$current\""


def _bash_values(verb: Verb) -> Iterator[str]:
    for option in verb.options:
        if option.follows is Follows.NOTHING:
            continue
        cases = "|".join(f"{verb.name}:{name}" for name in option.names)
        if option.follows in (Follows.FILE, Follows.FOLDER):
            kind = "-f" if option.follows is Follows.FILE else "-d"
            offer = (
                "compopt -o filenames 2>/dev/null; "
                f'mapfile -t COMPREPLY < <(compgen {kind} -- "$current"); '
            )
        elif option.values:
            offer = f"mapfile -t COMPREPLY < <({_compgen(' '.join(option.values))}); "
        else:
            offer = ""
        yield f"{cases}) {offer}return ;;"


def for_zsh(typed: Sequence[Verb]) -> str:
    lines = ["#compdef gpuexplorer", _MADE, "", "_gpuexplorer() {", "  local -a commands"]
    lines.append("  commands=(")
    named = [verb for verb in typed if verb.name]
    lines += [f"    {_quoted(verb.name + ':' + _no_colon(verb.meaning))}" for verb in named]
    lines += ["  )", "  if (( CURRENT > 2 )); then", "    case ${words[2]} in"]
    for verb in named:
        lines.append(f"      {verb.name})")
        lines.append("        shift words; (( CURRENT-- ))")
        lines.append("        _arguments : \\")
        lines += _continued([_zsh_option(option) for option in verb.options], 10)
        lines += ["        return", "        ;;"]
    window = next(verb for verb in typed if not verb.name)
    lines += ["    esac", "  fi", "  local state", "  _arguments : \\"]
    specs = [_zsh_option(option) for option in window.options]
    lines += _continued([*specs, _quoted("1: :->command")], 4)
    lines += [
        "  [[ $state == command ]] && _describe -t commands command commands",
        "}",
        "",
        '_gpuexplorer "$@"',
        "",
    ]
    return "\n".join(lines)


def _zsh_option(option: Option) -> str:
    meaning = _no_colon(option.meaning).replace("[", "\\[").replace("]", "\\]")
    after = ""
    if option.follows is not Follows.NOTHING:
        ways = {Follows.FILE: "_files", Follows.FOLDER: "_files -/"}
        listed = f"({' '.join(option.values)})" if option.values else " "
        after = f":{option.placeholder}:{ways.get(option.follows, listed)}"
    if len(option.names) == 1:
        taken = option.names[0] + ("=" if after else "")
        return _quoted(f"{taken}[{meaning}]{after}")
    names = " ".join(option.names)
    listed_names = ",".join(option.names)
    return f"{_quoted(f'({names})')}{{{listed_names}}}{_quoted(f'[{meaning}]{after}')}"


def _continued(words: Sequence[str], indent: int) -> list[str]:
    pad = " " * indent
    return [f"{pad}{word} \\" for word in words[:-1]] + [f"{pad}{words[-1]}"]


def for_fish(typed: Sequence[Verb]) -> str:
    names = " ".join(verb.name for verb in typed if verb.name)
    lines = [
        _MADE,
        "",
        "function __gpuexplorer_says",
        "    set -l words (commandline -opc)",
        '    test "$words[2]" = "$argv[1]"',
        "end",
        "",
        "function __gpuexplorer_opens_a_window",
        "    set -l words (commandline -opc)",
        f'    not contains -- "$words[2]" {names}',
        "end",
        "",
        "function __gpuexplorer_says_nothing_yet",
        "    test (count (commandline -opc)) -eq 1",
        "end",
        "",
        "complete -c gpuexplorer -f",
    ]
    for verb in typed:
        if verb.name:
            meaning = _quoted(verb.meaning)
            lines.append(
                "complete -c gpuexplorer -n __gpuexplorer_says_nothing_yet"
                f" -a {verb.name} -d {meaning}"
            )
        says = f"'__gpuexplorer_says {verb.name}'"
        when = says if verb.name else "__gpuexplorer_opens_a_window"
        begin = f"complete -c gpuexplorer -n {when}"
        lines += [f"{begin} {_fish_option(option)}" for option in verb.options]
    return "\n".join([*lines, ""])


def _fish_option(option: Option) -> str:
    named = [f"-l {name[2:]}" for name in option.names if name.startswith("--")]
    named += [f"-s {name[1:]}" for name in option.names if not name.startswith("--")]
    if option.follows is Follows.FILE:
        named.append("-r -F")
    elif option.follows is Follows.FOLDER:
        named.append("-x -a '(__fish_complete_directories)'")
    elif option.follows is Follows.WORD:
        values = f" -a {_quoted(' '.join(option.values))}" if option.values else ""
        named.append("-x" + values)
    return " ".join([*named, "-d", _quoted(option.meaning)])


def _no_colon(text: str) -> str:
    return text.replace(":", "\\:")


def _quoted(text: str) -> str:
    """A plain quote would end the quotation, in each shell in another way."""
    return "'" + text.replace("'", "’") + "'"
