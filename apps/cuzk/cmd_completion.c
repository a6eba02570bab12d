/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * cuzk completion SHELL: a script for the shell. The script asks the program itself for the commands
 * and options that fit, by `cuzk COMMAND... --help`, so that completion knows what this build knows.
 */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "exit_status.h"

#define KINDS "porep winning window update"
#define SIZES "2KiB 8MiB 512MiB 32GiB 64GiB"

/* $1: the word before. After an option with a value: its values, or nothing, so that the shell offers files. Else what --help
 * lists: names of commands (two blanks before), long options. */
#define WORDS                                                     \
    "    local help prev=$1\n"                                    \
    "    shift\n"                                                 \
    "    case $prev in\n"                                         \
    "    --kind) printf '%s\\n' " KINDS "; return ;;\n"           \
    "    --sector-size) printf '%s\\n' " SIZES "; return ;;\n"    \
    "    esac\n"                                                  \
    "    help=$(command cuzk \"$@\" --help 2>/dev/null)\n"        \
    "    [[ $prev == --* && $help == *\"$prev=\"* ]] && return\n" \
    "    printf '%s\\n' \"$help\" |\n"                            \
    "        sed -n -e 's/^  \\([a-z][a-z0-9]*\\) .*/\\1/p' \\\n" \
    "            -e 's/^  .*\\(--[a-z][a-z0-9-]*\\).*/\\1/p'\n"

static const char bash_script[] =
    "# bash: source <(cuzk completion bash)\n"
    "_cuzk_words() {\n" WORDS "}\n"
    "_cuzk() {\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} path=() i\n"
    "    if [[ $cur == '=' ]]; then\n"
    "        cur=\n"
    "    elif [[ $prev == '=' ]]; then\n"
    "        prev=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "    fi\n"
    "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
    "        case ${COMP_WORDS[i]} in -*) break ;; esac\n"
    "        path+=(\"${COMP_WORDS[i]}\")\n"
    "    done\n"
    "    COMPREPLY=($(compgen -W \"$(_cuzk_words \"$prev\" \"${path[@]}\")\" -- \"$cur\"))\n"
    "}\n"
    "complete -o default -F _cuzk cuzk\n";

static const char zsh_script[] =
    "#compdef cuzk\n"
    "# zsh: cuzk completion zsh > a folder of $fpath, under the name _cuzk\n"
    "_cuzk_words() {\n" WORDS "}\n"
    "_cuzk() {\n"
    "    local -a path_words found\n"
    "    local word\n"
    "    for word in \"${words[@]:1:$((CURRENT - 2))}\"; do\n"
    "        [[ $word == -* ]] && break\n"
    "        path_words+=(\"$word\")\n"
    "    done\n"
    "    found=(${(f)\"$(_cuzk_words \"${words[CURRENT - 1]}\" \"${path_words[@]}\")\"})\n"
    "    compadd -a found\n"
    "    _files\n"
    "}\n"
    "compdef _cuzk cuzk\n";

static const char fish_script[] =
    "# fish: cuzk completion fish > ~/.config/fish/completions/cuzk.fish\n"
    "function __cuzk_words\n"
    "    set -l path\n"
    "    set -l typed (commandline -opc)\n"
    "    switch $typed[-1]\n"
    "        case --kind\n"
    "            printf '%s\\n' " KINDS "\n"
    "            return\n"
    "        case --sector-size\n"
    "            printf '%s\\n' " SIZES "\n"
    "            return\n"
    "    end\n"
    "    for word in $typed[2..]\n"
    "        string match -q -- '-*' $word; and break\n"
    "        set -a path $word\n"
    "    end\n"
    "    set -l help (command cuzk $path --help 2>/dev/null)\n"
    "    if string match -q -- '--*' $typed[-1]; and string match -q -- \"*$typed[-1]=*\" $help\n"
    "        return\n"
    "    end\n"
    "    printf '%s\\n' $help |\n"
    "        sed -n -e 's/^  \\([a-z][a-z0-9]*\\) .*/\\1/p' -e 's/^  .*\\(--[a-z][a-z0-9-]*\\).*/\\1/p'\n"
    "end\n"
    "complete -c cuzk -a '(__cuzk_words)'\n";

static int write_script(const char *text)
{
    return fputs(text, stdout) >= 0 && fflush(stdout) == 0 ? EXIT_STATUS_OK : EXIT_STATUS_MACHINE;
}

static int run_bash(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return write_script(bash_script);
}

static int run_zsh(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return write_script(zsh_script);
}

static int run_fish(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return write_script(fish_script);
}

int cmd_completion(int argc, char **argv)
{
    static const command commands[] = {
        {"bash", "for bash: source <(cuzk completion bash)", run_bash},
        {"zsh", "for zsh: a file _cuzk in a folder of $fpath", run_zsh},
        {"fish", "for fish: ~/.config/fish/completions/cuzk.fish", run_fish},
        {NULL, NULL, NULL}};
    return dispatch(argc, argv, "cuzk completion", "A script that completes commands and options.",
                    commands);
}
