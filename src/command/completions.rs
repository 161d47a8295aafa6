//! `diag completions`: the scripts of the five shells. They are static, made from the command line itself; those of bash, zsh and
//! fish ask the program for live names besides, and work without its answer.

use clap::CommandFactory as _;
use clap_complete::{Shell as Generator, generate};

use super::{Surroundings, stream};
use crate::{
    cli::{Cli, CompletionsArgs, Shell},
    exit::Exit,
};

/// What bash does with the names: its word breaks at `:` and `=` are not ours, so the line is read anew.
const BASH: &str = r#"
# Live names (services, groups, profiles, codes, data ids): diag gives up after 300 ms and is silent on any error.
_diag_live() {
    _diag "$@"
    local line=${COMP_LINE:0:COMP_POINT} cur="" name="" strip=""
    local -a typed=() names=()
    read -r -a typed <<< "$line"
    if [[ $line != *[[:space:]] && ${#typed[@]} -gt 0 ]]; then
        cur=${typed[${#typed[@]}-1]}
        unset "typed[$((${#typed[@]}-1))]"
    fi
    while IFS= read -r name; do
        [[ -n $name ]] && names+=("$name")
    done < <(diag __names "${typed[@]:1}" "$cur" 2>/dev/null </dev/null)
    if [[ $cur == *[:=]* ]]; then
        local breaks=${cur//[^:=]/}
        local mark=${breaks:${#breaks}-1}
        [[ $COMP_WORDBREAKS == *"$mark"* ]] && strip=${cur%"${cur##*"$mark"}"}
    fi
    # Where a service stands no file is meant: without a name nothing is offered, least of all the files of this folder.
    if [[ $cur != -* && ${#typed[@]} -gt 1 && ${typed[${#typed[@]}-1]} != -* ]]; then
        case ${typed[1]} in
            no-provider | timeout-budget | route-replay | snapshot)
                compopt +o default +o bashdefault 2>/dev/null
                ;;
        esac
    fi
    if (( ! ${#names[@]} )); then
        # The static part takes what stands behind a colon or equal sign for a word of its own, and offers flags for it.
        if [[ -n $strip ]]; then
            COMPREPLY=()
            [[ $cur == --*=* ]] && _diag "$1" "${cur#*=}" "${cur%%=*}"
            for name in "${COMPREPLY[@]}"; do
                [[ $name == -* ]] || names+=("$name")
            done
            COMPREPLY=("${names[@]}")
        fi
        return 0
    fi
    COMPREPLY=()
    for name in "${names[@]}"; do
        COMPREPLY+=("${name#"$strip"}")
    done
}
complete -F _diag_live -o nosort -o bashdefault -o default diag 2>/dev/null ||
    complete -F _diag_live -o bashdefault -o default diag
"#;

/// The same for zsh, which cuts no words at `:`.
const ZSH: &str = r#"
# Live names (services, groups, profiles, codes, data ids): diag gives up after 300 ms and is silent on any error.
_diag() {
    local -a names
    names=("${(@f)$(diag __names "${(@)words[2,CURRENT]}" 2>/dev/null </dev/null)}")
    names=("${(@)names:#}")
    if (( ${#names} )); then
        compadd -- "${names[@]}" && return 0
    fi
    _diag_static "$@"
}
"#;

/// The same for fish: for values of flags and for what is no flag.
const FISH: &str = r"
# Live names (services, groups, profiles, codes, data ids): diag gives up after 300 ms and is silent on any error.
function __diag_names
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    diag __names $words[2..-1] $current'' 2>/dev/null </dev/null
end
complete -c diag -n 'not __fish_diag_needs_command' -a '(__diag_names)'
complete -c diag -l profile -x -a '(__diag_names)'
complete -c diag -l context -x -a '(__diag_names)'
complete -c diag -l skip -x -a '(__diag_names)'
complete -c diag -l only -x -a '(__diag_names)'
complete -c diag -l group -x -a '(__diag_names)'
complete -c diag -l key -x -a '(__diag_names)'
";

/// The script of a shell.
fn script(shell: Shell) -> String {
    let generator = match shell {
        Shell::Bash => Generator::Bash,
        Shell::Zsh => Generator::Zsh,
        Shell::Fish => Generator::Fish,
        Shell::Powershell => Generator::PowerShell,
        Shell::Elvish => Generator::Elvish,
    };
    let mut bytes = Vec::new();
    generate(generator, &mut Cli::command(), "diag", &mut bytes);
    let text = String::from_utf8_lossy(&bytes).into_owned();
    match shell {
        Shell::Bash => text + BASH,
        Shell::Fish => text + FISH,
        Shell::Zsh => {
            let text = text.replacen("\n_diag() {", "\n_diag_static() {", 1);
            let end = text.rfind("\nif [ \"$funcstack[1]\"").unwrap_or(text.len());
            format!("{}{ZSH}{}", &text[..end], &text[end..])
        }
        Shell::Powershell | Shell::Elvish => text,
    }
}

/// Runs the verb.
pub(super) fn run(args: &CompletionsArgs, _around: &Surroundings) -> anyhow::Result<Exit> {
    Ok(stream::report(&script(args.shell), Exit::Fine)?)
}
