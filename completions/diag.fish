# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_diag_global_optspecs
    string join \n h/help V/version
end

function __fish_diag_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_diag_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_diag_using_subcommand
    set -l cmd (__fish_diag_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c diag -n "__fish_diag_needs_command" -s h -l help -d 'Print help'
complete -c diag -n "__fish_diag_needs_command" -s V -l version -d 'Print version'
complete -c diag -n "__fish_diag_needs_command" -f -a "no-provider" -d 'Why does this consumer see no provider, or not the one it expects?'
complete -c diag -n "__fish_diag_needs_command" -f -a "timeout-budget" -d 'Which timeout and retries are in force and why, and what should they be?'
complete -c diag -n "__fish_diag_needs_command" -f -a "route-replay" -d 'What do the router rules do to these requests?'
complete -c diag -n "__fish_diag_needs_command" -f -a "snapshot" -d 'Record what the registries say, to diagnose later or elsewhere'
complete -c diag -n "__fish_diag_needs_command" -f -a "lint" -d 'Is this rule text what its author thinks it is?'
complete -c diag -n "__fish_diag_needs_command" -f -a "explain" -d 'What does this code or error text mean?'
complete -c diag -n "__fish_diag_needs_command" -f -a "completions" -d 'Print a completion script for a shell'
complete -c diag -n "__fish_diag_needs_command" -f -a "config" -d 'Show the settings and their origin'
complete -c diag -n "__fish_diag_using_subcommand no-provider" -l wait -d 'Ask again until it is reachable, or the time is over (exit 1)' -r -f
complete -c diag -n "__fish_diag_using_subcommand no-provider" -l compare -d 'Ask another place the same and show only what differs' -r
complete -c diag -n "__fish_diag_using_subcommand no-provider" -l registry -d 'Address as the consumer\'s configuration has it; repeat for several' -r -f
complete -c diag -n "__fish_diag_using_subcommand no-provider" -s n -l namespace -d 'Nacos namespace id (environment: DIAG_NAMESPACE)' -r -f
complete -c diag -n "__fish_diag_using_subcommand no-provider" -l registry-group -d 'Attribute dubbo.registry.group; unlike ?group= it also moves the rules' -r -f
complete -c diag -n "__fish_diag_using_subcommand no-provider" -l username -d 'User of the registry (environment: DIAG_USERNAME)' -r -f
complete -c diag -n "__fish_diag_using_subcommand no-provider" -l password-env -d 'Environment variable that holds the password (default: DIAG_PASSWORD)' -r -f
complete -c diag -n "__fish_diag_using_subcommand no-provider" -l password-file -d 'File that holds the password' -r -F
complete -c diag -n "__fish_diag_using_subcommand no-provider" -l password-command -d 'Command that prints the password' -r
complete -c diag -n "__fish_diag_using_subcommand no-provider" -l also-search -d 'Further registry to look into, never taken for the consumer\'s; repeatable' -r -f
complete -c diag -n "__fish_diag_using_subcommand no-provider" -l config-center -d 'Config centre, when it is not derived from the registry' -r -f
complete -c diag -n "__fish_diag_using_subcommand no-provider" -l metadata-report -d 'Metadata report, when it is not derived from the registry' -r -f
complete -c diag -n "__fish_diag_using_subcommand no-provider" -l snapshot -d 'Recording (directory or .tar.gz) instead of live systems' -r -F
complete -c diag -n "__fish_diag_using_subcommand no-provider" -l from-log -d 'Pasted error or log: takes service, registry, consumer from it (- = stdin)' -r -F
complete -c diag -n "__fish_diag_using_subcommand no-provider" -l attach -d 'File from the far side; repeatable' -r
complete -c diag -n "__fish_diag_using_subcommand no-provider" -l qos -d 'QOS port; whose it is is found out; repeatable' -r -f
complete -c diag -n "__fish_diag_using_subcommand no-provider" -l deadline -d 'End of everything that is asked of the network (default: 10s)' -r -f
complete -c diag -n "__fish_diag_using_subcommand no-provider" -l request-timeout -d 'Longest wait for one request (default: 3s)' -r -f
complete -c diag -n "__fish_diag_using_subcommand no-provider" -l require -d 'Optional facts that must be seen: qos, probe, metrics, caches, sweep' -r -f
complete -c diag -n "__fish_diag_using_subcommand no-provider" -l consumer-app -d 'Application name' -r -f
complete -c diag -n "__fish_diag_using_subcommand no-provider" -l consumer-ip -d 'Address it registers with' -r -f
complete -c diag -n "__fish_diag_using_subcommand no-provider" -l consumer -d 'Whether it runs already or is starting' -r -f -a "running\t'It had a list before'
starting\t'It subscribes for the first time'"
complete -c diag -n "__fish_diag_using_subcommand no-provider" -l consumer-since -d 'Since when it runs (RFC 3339, such as 2026-03-04T05:06:07+08:00)' -r -f
complete -c diag -n "__fish_diag_using_subcommand no-provider" -l dubbo -d 'Its Dubbo version (default: from log or registry, else the newest line)' -r -f
complete -c diag -n "__fish_diag_using_subcommand no-provider" -l client -d 'Java Dubbo or dubbo-go' -r -f -a "java\t'Apache Dubbo for Java'
go\t'dubbo-go'"
complete -c diag -n "__fish_diag_using_subcommand no-provider" -l param -d 'Parameter of the reference, such as protocol=tri; repeatable' -r -f
complete -c diag -n "__fish_diag_using_subcommand no-provider" -l jdk -d 'JDK of the consumer, for the engines of script rules' -r -f
complete -c diag -n "__fish_diag_using_subcommand no-provider" -l router -d 'Router of its own code, as it behaves; repeatable' -r -f
complete -c diag -n "__fish_diag_using_subcommand no-provider" -l group -d 'Dubbo group of the service; wins over the one in SERVICE' -r -f
complete -c diag -n "__fish_diag_using_subcommand no-provider" -l service-version -d 'Version of the service; wins over the one in SERVICE' -r -f
complete -c diag -n "__fish_diag_using_subcommand no-provider" -l method -d 'Method' -r -f
complete -c diag -n "__fish_diag_using_subcommand no-provider" -l arg -d 'Argument of the call, in order; repeatable' -r -f
complete -c diag -n "__fish_diag_using_subcommand no-provider" -l attachment -d 'Attachment of the call, such as dubbo.tag=gray; repeatable' -r -f
complete -c diag -n "__fish_diag_using_subcommand no-provider" -l zone -d 'Room or data centre by address; repeatable' -r -f
complete -c diag -n "__fish_diag_using_subcommand no-provider" -l zone-key -d 'Parameter of a provider that names its zone' -r -f
complete -c diag -n "__fish_diag_using_subcommand no-provider" -l consumer-zone -d 'Zone of the consumer (default: by --consumer-ip)' -r -f
complete -c diag -n "__fish_diag_using_subcommand no-provider" -s o -l output -d 'Format (default: text)' -r -f -a "text\t'For people'
json\t'For programs'
markdown\t'For tickets'
html\t'For mails'"
complete -c diag -n "__fish_diag_using_subcommand no-provider" -l lang -d 'Language (default: of the locale; JSON: en)' -r -f -a "zh\t'Chinese'
en\t'English'"
complete -c diag -n "__fish_diag_using_subcommand no-provider" -l fail-on -d 'Lowest severity of a finding that fails the run (default: error)' -r -f -a "info\t'Any finding'
warning\t'Warnings and errors'
error\t'Errors'"
complete -c diag -n "__fish_diag_using_subcommand no-provider" -l skip -d 'Hide a finding, everywhere or about one subject; repeatable' -r -f
complete -c diag -n "__fish_diag_using_subcommand no-provider" -l only -d 'Show only findings of this code; repeatable' -r -f
complete -c diag -n "__fish_diag_using_subcommand no-provider" -l config -d 'Settings file (default: diag/diag.toml in the user\'s config directory)' -r -F
complete -c diag -n "__fish_diag_using_subcommand no-provider" -l profile -d 'Profile of the settings file' -r -f
complete -c diag -n "__fish_diag_using_subcommand no-provider" -l color -l colour -d 'Colours (default: auto)' -r -f -a "auto\t'On a terminal'
always\t'Also into a pipe'
never\t'Nowhere'"
complete -c diag -n "__fish_diag_using_subcommand no-provider" -l no-sweep -d 'Do not look into other namespaces, groups and roots'
complete -c diag -n "__fish_diag_using_subcommand no-provider" -l probe -d 'Allow connections to providers and metadata services from this host'
complete -c diag -n "__fish_diag_using_subcommand no-provider" -l brief -d 'One line per service: outcome, code, certainty, subject: message'
complete -c diag -n "__fish_diag_using_subcommand no-provider" -s v -l verbose -d 'Show everything; -vv also logs to stderr'
complete -c diag -n "__fish_diag_using_subcommand no-provider" -s q -l quiet -d 'No progress and no warnings on stderr'
complete -c diag -n "__fish_diag_using_subcommand no-provider" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -l p99 -d '99th percentile of the response time' -r -f
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -l p99-side -d 'Where it was measured: provider (default) or consumer' -r -f -a "provider\t''
consumer\t''"
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -l samples -d 'Measured times: one number a line, a CSV column, or an access log' -r -F
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -l column -d 'Column of the times in a CSV file of --samples: its name, or its number from 1' -r -f
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -l prometheus -d 'Prometheus text, or a Prometheus server; several addresses separated by commas' -r
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -l rtt -d 'Round-trip time' -r -f
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -l link -d 'Class of link: same-room, same-city, remote' -r -f -a "same-room\t''
same-city\t''
remote\t''"
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -l serialization -d 'Time for serialization' -r -f
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -l payload -d 'Size of a message' -r -f
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -l bandwidth -d 'Bandwidth of the link' -r -f
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -l factor -d 'Factors, such as 1.5-2' -r -f
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -l pick -d 'Which advice: tight or comfortable' -r -f -a "tight\t''
comfortable\t''"
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -l upstream -d 'Deadline of the caller' -r -f
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -l write -d 'Method that writes; repeatable' -r -f
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -l chain -d 'Call chain, such as gateway:retries=1,user:retries=2' -r -f
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -l try -d 'What if the timeout were this' -r -f
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -l qps -d 'Requests per second' -r -f
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -l registry -d 'Address as the consumer\'s configuration has it; repeat for several' -r -f
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -s n -l namespace -d 'Nacos namespace id (environment: DIAG_NAMESPACE)' -r -f
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -l registry-group -d 'Attribute dubbo.registry.group; unlike ?group= it also moves the rules' -r -f
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -l username -d 'User of the registry (environment: DIAG_USERNAME)' -r -f
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -l password-env -d 'Environment variable that holds the password (default: DIAG_PASSWORD)' -r -f
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -l password-file -d 'File that holds the password' -r -F
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -l password-command -d 'Command that prints the password' -r
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -l also-search -d 'Further registry to look into, never taken for the consumer\'s; repeatable' -r -f
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -l config-center -d 'Config centre, when it is not derived from the registry' -r -f
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -l metadata-report -d 'Metadata report, when it is not derived from the registry' -r -f
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -l snapshot -d 'Recording (directory or .tar.gz) instead of live systems' -r -F
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -l from-log -d 'Pasted error or log: takes service, registry, consumer from it (- = stdin)' -r -F
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -l attach -d 'File from the far side; repeatable' -r
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -l qos -d 'QOS port; whose it is is found out; repeatable' -r -f
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -l deadline -d 'End of everything that is asked of the network (default: 10s)' -r -f
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -l request-timeout -d 'Longest wait for one request (default: 3s)' -r -f
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -l require -d 'Optional facts that must be seen: qos, probe, metrics, caches, sweep' -r -f
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -l consumer-app -d 'Application name' -r -f
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -l consumer-ip -d 'Address it registers with' -r -f
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -l consumer -d 'Whether it runs already or is starting' -r -f -a "running\t'It had a list before'
starting\t'It subscribes for the first time'"
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -l consumer-since -d 'Since when it runs (RFC 3339, such as 2026-03-04T05:06:07+08:00)' -r -f
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -l dubbo -d 'Its Dubbo version (default: from log or registry, else the newest line)' -r -f
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -l client -d 'Java Dubbo or dubbo-go' -r -f -a "java\t'Apache Dubbo for Java'
go\t'dubbo-go'"
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -l param -d 'Parameter of the reference, such as protocol=tri; repeatable' -r -f
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -l jdk -d 'JDK of the consumer, for the engines of script rules' -r -f
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -l router -d 'Router of its own code, as it behaves; repeatable' -r -f
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -l group -d 'Dubbo group of the service; wins over the one in SERVICE' -r -f
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -l service-version -d 'Version of the service; wins over the one in SERVICE' -r -f
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -l method -d 'Method' -r -f
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -l arg -d 'Argument of the call, in order; repeatable' -r -f
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -l attachment -d 'Attachment of the call, such as dubbo.tag=gray; repeatable' -r -f
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -l zone -d 'Room or data centre by address; repeatable' -r -f
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -l zone-key -d 'Parameter of a provider that names its zone' -r -f
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -l consumer-zone -d 'Zone of the consumer (default: by --consumer-ip)' -r -f
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -s o -l output -d 'Format (default: text)' -r -f -a "text\t'For people'
json\t'For programs'
markdown\t'For tickets'
html\t'For mails'"
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -l lang -d 'Language (default: of the locale; JSON: en)' -r -f -a "zh\t'Chinese'
en\t'English'"
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -l fail-on -d 'Lowest severity of a finding that fails the run (default: error)' -r -f -a "info\t'Any finding'
warning\t'Warnings and errors'
error\t'Errors'"
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -l skip -d 'Hide a finding, everywhere or about one subject; repeatable' -r -f
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -l only -d 'Show only findings of this code; repeatable' -r -f
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -l config -d 'Settings file (default: diag/diag.toml in the user\'s config directory)' -r -F
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -l profile -d 'Profile of the settings file' -r -f
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -l color -l colour -d 'Colours (default: auto)' -r -f -a "auto\t'On a terminal'
always\t'Also into a pipe'
never\t'Nowhere'"
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -l no-sweep -d 'Do not look into other namespaces, groups and roots'
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -l probe -d 'Allow connections to providers and metadata services from this host'
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -l brief -d 'One line per service: outcome, code, certainty, subject: message'
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -s v -l verbose -d 'Show everything; -vv also logs to stderr'
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -s q -l quiet -d 'No progress and no warnings on stderr'
complete -c diag -n "__fish_diag_using_subcommand timeout-budget" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c diag -n "__fish_diag_using_subcommand route-replay" -s f -l rules -d 'Rule file that replaces the live rule of the same key; repeatable' -r
complete -c diag -n "__fish_diag_using_subcommand route-replay" -l providers -d 'Provider URLs, one a line, instead of the registry' -r -F
complete -c diag -n "__fish_diag_using_subcommand route-replay" -l requests -d 'Requests to replay (.jsonl or .csv, also .gz)' -r -F
complete -c diag -n "__fish_diag_using_subcommand route-replay" -l access-log -d 'Requests from a Dubbo access log (also .gz)' -r -F
complete -c diag -n "__fish_diag_using_subcommand route-replay" -l candidate -d 'Rule to compare with what is in force; repeatable' -r
complete -c diag -n "__fish_diag_using_subcommand route-replay" -l max-shift -d 'Largest share of all requests that may move to or from an address' -r -f
complete -c diag -n "__fish_diag_using_subcommand route-replay" -l without -d 'Drill: what if these providers are gone; repeatable' -r -f
complete -c diag -n "__fish_diag_using_subcommand route-replay" -l matrix -d 'Dubbo versions to compare' -r -f
complete -c diag -n "__fish_diag_using_subcommand route-replay" -l registry -d 'Address as the consumer\'s configuration has it; repeat for several' -r -f
complete -c diag -n "__fish_diag_using_subcommand route-replay" -s n -l namespace -d 'Nacos namespace id (environment: DIAG_NAMESPACE)' -r -f
complete -c diag -n "__fish_diag_using_subcommand route-replay" -l registry-group -d 'Attribute dubbo.registry.group; unlike ?group= it also moves the rules' -r -f
complete -c diag -n "__fish_diag_using_subcommand route-replay" -l username -d 'User of the registry (environment: DIAG_USERNAME)' -r -f
complete -c diag -n "__fish_diag_using_subcommand route-replay" -l password-env -d 'Environment variable that holds the password (default: DIAG_PASSWORD)' -r -f
complete -c diag -n "__fish_diag_using_subcommand route-replay" -l password-file -d 'File that holds the password' -r -F
complete -c diag -n "__fish_diag_using_subcommand route-replay" -l password-command -d 'Command that prints the password' -r
complete -c diag -n "__fish_diag_using_subcommand route-replay" -l also-search -d 'Further registry to look into, never taken for the consumer\'s; repeatable' -r -f
complete -c diag -n "__fish_diag_using_subcommand route-replay" -l config-center -d 'Config centre, when it is not derived from the registry' -r -f
complete -c diag -n "__fish_diag_using_subcommand route-replay" -l metadata-report -d 'Metadata report, when it is not derived from the registry' -r -f
complete -c diag -n "__fish_diag_using_subcommand route-replay" -l snapshot -d 'Recording (directory or .tar.gz) instead of live systems' -r -F
complete -c diag -n "__fish_diag_using_subcommand route-replay" -l from-log -d 'Pasted error or log: takes service, registry, consumer from it (- = stdin)' -r -F
complete -c diag -n "__fish_diag_using_subcommand route-replay" -l attach -d 'File from the far side; repeatable' -r
complete -c diag -n "__fish_diag_using_subcommand route-replay" -l qos -d 'QOS port; whose it is is found out; repeatable' -r -f
complete -c diag -n "__fish_diag_using_subcommand route-replay" -l deadline -d 'End of everything that is asked of the network (default: 10s)' -r -f
complete -c diag -n "__fish_diag_using_subcommand route-replay" -l request-timeout -d 'Longest wait for one request (default: 3s)' -r -f
complete -c diag -n "__fish_diag_using_subcommand route-replay" -l require -d 'Optional facts that must be seen: qos, probe, metrics, caches, sweep' -r -f
complete -c diag -n "__fish_diag_using_subcommand route-replay" -l consumer-app -d 'Application name' -r -f
complete -c diag -n "__fish_diag_using_subcommand route-replay" -l consumer-ip -d 'Address it registers with' -r -f
complete -c diag -n "__fish_diag_using_subcommand route-replay" -l consumer -d 'Whether it runs already or is starting' -r -f -a "running\t'It had a list before'
starting\t'It subscribes for the first time'"
complete -c diag -n "__fish_diag_using_subcommand route-replay" -l consumer-since -d 'Since when it runs (RFC 3339, such as 2026-03-04T05:06:07+08:00)' -r -f
complete -c diag -n "__fish_diag_using_subcommand route-replay" -l dubbo -d 'Its Dubbo version (default: from log or registry, else the newest line)' -r -f
complete -c diag -n "__fish_diag_using_subcommand route-replay" -l client -d 'Java Dubbo or dubbo-go' -r -f -a "java\t'Apache Dubbo for Java'
go\t'dubbo-go'"
complete -c diag -n "__fish_diag_using_subcommand route-replay" -l param -d 'Parameter of the reference, such as protocol=tri; repeatable' -r -f
complete -c diag -n "__fish_diag_using_subcommand route-replay" -l jdk -d 'JDK of the consumer, for the engines of script rules' -r -f
complete -c diag -n "__fish_diag_using_subcommand route-replay" -l router -d 'Router of its own code, as it behaves; repeatable' -r -f
complete -c diag -n "__fish_diag_using_subcommand route-replay" -l group -d 'Dubbo group of the service; wins over the one in SERVICE' -r -f
complete -c diag -n "__fish_diag_using_subcommand route-replay" -l service-version -d 'Version of the service; wins over the one in SERVICE' -r -f
complete -c diag -n "__fish_diag_using_subcommand route-replay" -l method -d 'Method' -r -f
complete -c diag -n "__fish_diag_using_subcommand route-replay" -l arg -d 'Argument of the call, in order; repeatable' -r -f
complete -c diag -n "__fish_diag_using_subcommand route-replay" -l attachment -d 'Attachment of the call, such as dubbo.tag=gray; repeatable' -r -f
complete -c diag -n "__fish_diag_using_subcommand route-replay" -l zone -d 'Room or data centre by address; repeatable' -r -f
complete -c diag -n "__fish_diag_using_subcommand route-replay" -l zone-key -d 'Parameter of a provider that names its zone' -r -f
complete -c diag -n "__fish_diag_using_subcommand route-replay" -l consumer-zone -d 'Zone of the consumer (default: by --consumer-ip)' -r -f
complete -c diag -n "__fish_diag_using_subcommand route-replay" -s o -l output -d 'Format (default: text)' -r -f -a "text\t'For people'
json\t'For programs'
markdown\t'For tickets'
html\t'For mails'"
complete -c diag -n "__fish_diag_using_subcommand route-replay" -l lang -d 'Language (default: of the locale; JSON: en)' -r -f -a "zh\t'Chinese'
en\t'English'"
complete -c diag -n "__fish_diag_using_subcommand route-replay" -l fail-on -d 'Lowest severity of a finding that fails the run (default: error)' -r -f -a "info\t'Any finding'
warning\t'Warnings and errors'
error\t'Errors'"
complete -c diag -n "__fish_diag_using_subcommand route-replay" -l skip -d 'Hide a finding, everywhere or about one subject; repeatable' -r -f
complete -c diag -n "__fish_diag_using_subcommand route-replay" -l only -d 'Show only findings of this code; repeatable' -r -f
complete -c diag -n "__fish_diag_using_subcommand route-replay" -l config -d 'Settings file (default: diag/diag.toml in the user\'s config directory)' -r -F
complete -c diag -n "__fish_diag_using_subcommand route-replay" -l profile -d 'Profile of the settings file' -r -f
complete -c diag -n "__fish_diag_using_subcommand route-replay" -l color -l colour -d 'Colours (default: auto)' -r -f -a "auto\t'On a terminal'
always\t'Also into a pipe'
never\t'Nowhere'"
complete -c diag -n "__fish_diag_using_subcommand route-replay" -l no-sweep -d 'Do not look into other namespaces, groups and roots'
complete -c diag -n "__fish_diag_using_subcommand route-replay" -l probe -d 'Allow connections to providers and metadata services from this host'
complete -c diag -n "__fish_diag_using_subcommand route-replay" -l brief -d 'One line per service: outcome, code, certainty, subject: message'
complete -c diag -n "__fish_diag_using_subcommand route-replay" -s v -l verbose -d 'Show everything; -vv also logs to stderr'
complete -c diag -n "__fish_diag_using_subcommand route-replay" -s q -l quiet -d 'No progress and no warnings on stderr'
complete -c diag -n "__fish_diag_using_subcommand route-replay" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c diag -n "__fish_diag_using_subcommand snapshot" -l out -d 'Where to write: a directory, or a file that ends in .tar.gz or .tgz' -r -F
complete -c diag -n "__fish_diag_using_subcommand snapshot" -l registry -d 'Address as the consumer\'s configuration has it; repeat for several' -r -f
complete -c diag -n "__fish_diag_using_subcommand snapshot" -s n -l namespace -d 'Nacos namespace id (environment: DIAG_NAMESPACE)' -r -f
complete -c diag -n "__fish_diag_using_subcommand snapshot" -l registry-group -d 'Attribute dubbo.registry.group; unlike ?group= it also moves the rules' -r -f
complete -c diag -n "__fish_diag_using_subcommand snapshot" -l username -d 'User of the registry (environment: DIAG_USERNAME)' -r -f
complete -c diag -n "__fish_diag_using_subcommand snapshot" -l password-env -d 'Environment variable that holds the password (default: DIAG_PASSWORD)' -r -f
complete -c diag -n "__fish_diag_using_subcommand snapshot" -l password-file -d 'File that holds the password' -r -F
complete -c diag -n "__fish_diag_using_subcommand snapshot" -l password-command -d 'Command that prints the password' -r
complete -c diag -n "__fish_diag_using_subcommand snapshot" -l also-search -d 'Further registry to look into, never taken for the consumer\'s; repeatable' -r -f
complete -c diag -n "__fish_diag_using_subcommand snapshot" -l config-center -d 'Config centre, when it is not derived from the registry' -r -f
complete -c diag -n "__fish_diag_using_subcommand snapshot" -l metadata-report -d 'Metadata report, when it is not derived from the registry' -r -f
complete -c diag -n "__fish_diag_using_subcommand snapshot" -l snapshot -d 'Recording (directory or .tar.gz) instead of live systems' -r -F
complete -c diag -n "__fish_diag_using_subcommand snapshot" -l from-log -d 'Pasted error or log: takes service, registry, consumer from it (- = stdin)' -r -F
complete -c diag -n "__fish_diag_using_subcommand snapshot" -l attach -d 'File from the far side; repeatable' -r
complete -c diag -n "__fish_diag_using_subcommand snapshot" -l qos -d 'QOS port; whose it is is found out; repeatable' -r -f
complete -c diag -n "__fish_diag_using_subcommand snapshot" -l deadline -d 'End of everything that is asked of the network (default: 10s)' -r -f
complete -c diag -n "__fish_diag_using_subcommand snapshot" -l request-timeout -d 'Longest wait for one request (default: 3s)' -r -f
complete -c diag -n "__fish_diag_using_subcommand snapshot" -l require -d 'Optional facts that must be seen: qos, probe, metrics, caches, sweep' -r -f
complete -c diag -n "__fish_diag_using_subcommand snapshot" -l consumer-app -d 'Application name' -r -f
complete -c diag -n "__fish_diag_using_subcommand snapshot" -l consumer-ip -d 'Address it registers with' -r -f
complete -c diag -n "__fish_diag_using_subcommand snapshot" -l consumer -d 'Whether it runs already or is starting' -r -f -a "running\t'It had a list before'
starting\t'It subscribes for the first time'"
complete -c diag -n "__fish_diag_using_subcommand snapshot" -l consumer-since -d 'Since when it runs (RFC 3339, such as 2026-03-04T05:06:07+08:00)' -r -f
complete -c diag -n "__fish_diag_using_subcommand snapshot" -l dubbo -d 'Its Dubbo version (default: from log or registry, else the newest line)' -r -f
complete -c diag -n "__fish_diag_using_subcommand snapshot" -l client -d 'Java Dubbo or dubbo-go' -r -f -a "java\t'Apache Dubbo for Java'
go\t'dubbo-go'"
complete -c diag -n "__fish_diag_using_subcommand snapshot" -l param -d 'Parameter of the reference, such as protocol=tri; repeatable' -r -f
complete -c diag -n "__fish_diag_using_subcommand snapshot" -l jdk -d 'JDK of the consumer, for the engines of script rules' -r -f
complete -c diag -n "__fish_diag_using_subcommand snapshot" -l router -d 'Router of its own code, as it behaves; repeatable' -r -f
complete -c diag -n "__fish_diag_using_subcommand snapshot" -l group -d 'Dubbo group of the service; wins over the one in SERVICE' -r -f
complete -c diag -n "__fish_diag_using_subcommand snapshot" -l service-version -d 'Version of the service; wins over the one in SERVICE' -r -f
complete -c diag -n "__fish_diag_using_subcommand snapshot" -l method -d 'Method' -r -f
complete -c diag -n "__fish_diag_using_subcommand snapshot" -l arg -d 'Argument of the call, in order; repeatable' -r -f
complete -c diag -n "__fish_diag_using_subcommand snapshot" -l attachment -d 'Attachment of the call, such as dubbo.tag=gray; repeatable' -r -f
complete -c diag -n "__fish_diag_using_subcommand snapshot" -l zone -d 'Room or data centre by address; repeatable' -r -f
complete -c diag -n "__fish_diag_using_subcommand snapshot" -l zone-key -d 'Parameter of a provider that names its zone' -r -f
complete -c diag -n "__fish_diag_using_subcommand snapshot" -l consumer-zone -d 'Zone of the consumer (default: by --consumer-ip)' -r -f
complete -c diag -n "__fish_diag_using_subcommand snapshot" -s o -l output -d 'Format (default: text)' -r -f -a "text\t'For people'
json\t'For programs'
markdown\t'For tickets'
html\t'For mails'"
complete -c diag -n "__fish_diag_using_subcommand snapshot" -l lang -d 'Language (default: of the locale; JSON: en)' -r -f -a "zh\t'Chinese'
en\t'English'"
complete -c diag -n "__fish_diag_using_subcommand snapshot" -l fail-on -d 'Lowest severity of a finding that fails the run (default: error)' -r -f -a "info\t'Any finding'
warning\t'Warnings and errors'
error\t'Errors'"
complete -c diag -n "__fish_diag_using_subcommand snapshot" -l skip -d 'Hide a finding, everywhere or about one subject; repeatable' -r -f
complete -c diag -n "__fish_diag_using_subcommand snapshot" -l only -d 'Show only findings of this code; repeatable' -r -f
complete -c diag -n "__fish_diag_using_subcommand snapshot" -l config -d 'Settings file (default: diag/diag.toml in the user\'s config directory)' -r -F
complete -c diag -n "__fish_diag_using_subcommand snapshot" -l profile -d 'Profile of the settings file' -r -f
complete -c diag -n "__fish_diag_using_subcommand snapshot" -l color -l colour -d 'Colours (default: auto)' -r -f -a "auto\t'On a terminal'
always\t'Also into a pipe'
never\t'Nowhere'"
complete -c diag -n "__fish_diag_using_subcommand snapshot" -l all -d 'Record everything that the registry lets us read'
complete -c diag -n "__fish_diag_using_subcommand snapshot" -l dry-run -d 'Print every request instead of making it; names that only an answer tells stand in braces'
complete -c diag -n "__fish_diag_using_subcommand snapshot" -l anonymize -d 'Replace addresses, hosts, applications and interfaces by pseudonyms'
complete -c diag -n "__fish_diag_using_subcommand snapshot" -l no-sweep -d 'Do not look into other namespaces, groups and roots'
complete -c diag -n "__fish_diag_using_subcommand snapshot" -l probe -d 'Allow connections to providers and metadata services from this host'
complete -c diag -n "__fish_diag_using_subcommand snapshot" -l brief -d 'One line per service: outcome, code, certainty, subject: message'
complete -c diag -n "__fish_diag_using_subcommand snapshot" -s v -l verbose -d 'Show everything; -vv also logs to stderr'
complete -c diag -n "__fish_diag_using_subcommand snapshot" -s q -l quiet -d 'No progress and no warnings on stderr'
complete -c diag -n "__fish_diag_using_subcommand snapshot" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c diag -n "__fish_diag_using_subcommand lint" -l key -d 'Key under which the rule is kept (default: the file\'s name)' -r -f
complete -c diag -n "__fish_diag_using_subcommand lint" -l matrix -d 'Several versions side by side: what differs between them' -r -f
complete -c diag -n "__fish_diag_using_subcommand lint" -l providers -d 'Provider URLs, one a line, to compare addresses with' -r -F
complete -c diag -n "__fish_diag_using_subcommand lint" -l service -d 'Service whose providers the rule concerns (default: the one in its key)' -r -f
complete -c diag -n "__fish_diag_using_subcommand lint" -l registry -d 'Address as the consumer\'s configuration has it; repeat for several' -r -f
complete -c diag -n "__fish_diag_using_subcommand lint" -s n -l namespace -d 'Nacos namespace id (environment: DIAG_NAMESPACE)' -r -f
complete -c diag -n "__fish_diag_using_subcommand lint" -l registry-group -d 'Attribute dubbo.registry.group; unlike ?group= it also moves the rules' -r -f
complete -c diag -n "__fish_diag_using_subcommand lint" -l username -d 'User of the registry (environment: DIAG_USERNAME)' -r -f
complete -c diag -n "__fish_diag_using_subcommand lint" -l password-env -d 'Environment variable that holds the password (default: DIAG_PASSWORD)' -r -f
complete -c diag -n "__fish_diag_using_subcommand lint" -l password-file -d 'File that holds the password' -r -F
complete -c diag -n "__fish_diag_using_subcommand lint" -l password-command -d 'Command that prints the password' -r
complete -c diag -n "__fish_diag_using_subcommand lint" -l also-search -d 'Further registry to look into, never taken for the consumer\'s; repeatable' -r -f
complete -c diag -n "__fish_diag_using_subcommand lint" -l config-center -d 'Config centre, when it is not derived from the registry' -r -f
complete -c diag -n "__fish_diag_using_subcommand lint" -l metadata-report -d 'Metadata report, when it is not derived from the registry' -r -f
complete -c diag -n "__fish_diag_using_subcommand lint" -l snapshot -d 'Recording (directory or .tar.gz) instead of live systems' -r -F
complete -c diag -n "__fish_diag_using_subcommand lint" -l from-log -d 'Pasted error or log: takes service, registry, consumer from it (- = stdin)' -r -F
complete -c diag -n "__fish_diag_using_subcommand lint" -l attach -d 'File from the far side; repeatable' -r
complete -c diag -n "__fish_diag_using_subcommand lint" -l qos -d 'QOS port; whose it is is found out; repeatable' -r -f
complete -c diag -n "__fish_diag_using_subcommand lint" -l deadline -d 'End of everything that is asked of the network (default: 10s)' -r -f
complete -c diag -n "__fish_diag_using_subcommand lint" -l request-timeout -d 'Longest wait for one request (default: 3s)' -r -f
complete -c diag -n "__fish_diag_using_subcommand lint" -l require -d 'Optional facts that must be seen: qos, probe, metrics, caches, sweep' -r -f
complete -c diag -n "__fish_diag_using_subcommand lint" -l consumer-app -d 'Application name' -r -f
complete -c diag -n "__fish_diag_using_subcommand lint" -l consumer-ip -d 'Address it registers with' -r -f
complete -c diag -n "__fish_diag_using_subcommand lint" -l consumer -d 'Whether it runs already or is starting' -r -f -a "running\t'It had a list before'
starting\t'It subscribes for the first time'"
complete -c diag -n "__fish_diag_using_subcommand lint" -l consumer-since -d 'Since when it runs (RFC 3339, such as 2026-03-04T05:06:07+08:00)' -r -f
complete -c diag -n "__fish_diag_using_subcommand lint" -l dubbo -d 'Its Dubbo version (default: from log or registry, else the newest line)' -r -f
complete -c diag -n "__fish_diag_using_subcommand lint" -l client -d 'Java Dubbo or dubbo-go' -r -f -a "java\t'Apache Dubbo for Java'
go\t'dubbo-go'"
complete -c diag -n "__fish_diag_using_subcommand lint" -l param -d 'Parameter of the reference, such as protocol=tri; repeatable' -r -f
complete -c diag -n "__fish_diag_using_subcommand lint" -l jdk -d 'JDK of the consumer, for the engines of script rules' -r -f
complete -c diag -n "__fish_diag_using_subcommand lint" -l router -d 'Router of its own code, as it behaves; repeatable' -r -f
complete -c diag -n "__fish_diag_using_subcommand lint" -l group -d 'Dubbo group of the service; wins over the one in SERVICE' -r -f
complete -c diag -n "__fish_diag_using_subcommand lint" -l service-version -d 'Version of the service; wins over the one in SERVICE' -r -f
complete -c diag -n "__fish_diag_using_subcommand lint" -l method -d 'Method' -r -f
complete -c diag -n "__fish_diag_using_subcommand lint" -l arg -d 'Argument of the call, in order; repeatable' -r -f
complete -c diag -n "__fish_diag_using_subcommand lint" -l attachment -d 'Attachment of the call, such as dubbo.tag=gray; repeatable' -r -f
complete -c diag -n "__fish_diag_using_subcommand lint" -l zone -d 'Room or data centre by address; repeatable' -r -f
complete -c diag -n "__fish_diag_using_subcommand lint" -l zone-key -d 'Parameter of a provider that names its zone' -r -f
complete -c diag -n "__fish_diag_using_subcommand lint" -l consumer-zone -d 'Zone of the consumer (default: by --consumer-ip)' -r -f
complete -c diag -n "__fish_diag_using_subcommand lint" -s o -l output -d 'Format (default: text)' -r -f -a "text\t'For people'
json\t'For programs'
markdown\t'For tickets'
html\t'For mails'"
complete -c diag -n "__fish_diag_using_subcommand lint" -l lang -d 'Language (default: of the locale; JSON: en)' -r -f -a "zh\t'Chinese'
en\t'English'"
complete -c diag -n "__fish_diag_using_subcommand lint" -l fail-on -d 'Lowest severity of a finding that fails the run (default: error)' -r -f -a "info\t'Any finding'
warning\t'Warnings and errors'
error\t'Errors'"
complete -c diag -n "__fish_diag_using_subcommand lint" -l skip -d 'Hide a finding, everywhere or about one subject; repeatable' -r -f
complete -c diag -n "__fish_diag_using_subcommand lint" -l only -d 'Show only findings of this code; repeatable' -r -f
complete -c diag -n "__fish_diag_using_subcommand lint" -l config -d 'Settings file (default: diag/diag.toml in the user\'s config directory)' -r -F
complete -c diag -n "__fish_diag_using_subcommand lint" -l profile -d 'Profile of the settings file' -r -f
complete -c diag -n "__fish_diag_using_subcommand lint" -l color -l colour -d 'Colours (default: auto)' -r -f -a "auto\t'On a terminal'
always\t'Also into a pipe'
never\t'Nowhere'"
complete -c diag -n "__fish_diag_using_subcommand lint" -l no-sweep -d 'Do not look into other namespaces, groups and roots'
complete -c diag -n "__fish_diag_using_subcommand lint" -l probe -d 'Allow connections to providers and metadata services from this host'
complete -c diag -n "__fish_diag_using_subcommand lint" -l brief -d 'One line per service: outcome, code, certainty, subject: message'
complete -c diag -n "__fish_diag_using_subcommand lint" -s v -l verbose -d 'Show everything; -vv also logs to stderr'
complete -c diag -n "__fish_diag_using_subcommand lint" -s q -l quiet -d 'No progress and no warnings on stderr'
complete -c diag -n "__fish_diag_using_subcommand lint" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c diag -n "__fish_diag_using_subcommand explain" -s o -l output -d 'Format (default: text)' -r -f -a "text\t'For people'
json\t'For programs'
markdown\t'For tickets'
html\t'For mails'"
complete -c diag -n "__fish_diag_using_subcommand explain" -l lang -d 'Language (default: of the locale; JSON: en)' -r -f -a "zh\t'Chinese'
en\t'English'"
complete -c diag -n "__fish_diag_using_subcommand explain" -l fail-on -d 'Lowest severity of a finding that fails the run (default: error)' -r -f -a "info\t'Any finding'
warning\t'Warnings and errors'
error\t'Errors'"
complete -c diag -n "__fish_diag_using_subcommand explain" -l skip -d 'Hide a finding, everywhere or about one subject; repeatable' -r -f
complete -c diag -n "__fish_diag_using_subcommand explain" -l only -d 'Show only findings of this code; repeatable' -r -f
complete -c diag -n "__fish_diag_using_subcommand explain" -l config -d 'Settings file (default: diag/diag.toml in the user\'s config directory)' -r -F
complete -c diag -n "__fish_diag_using_subcommand explain" -l profile -d 'Profile of the settings file' -r -f
complete -c diag -n "__fish_diag_using_subcommand explain" -l color -l colour -d 'Colours (default: auto)' -r -f -a "auto\t'On a terminal'
always\t'Also into a pipe'
never\t'Nowhere'"
complete -c diag -n "__fish_diag_using_subcommand explain" -l brief -d 'One line per service: outcome, code, certainty, subject: message'
complete -c diag -n "__fish_diag_using_subcommand explain" -s v -l verbose -d 'Show everything; -vv also logs to stderr'
complete -c diag -n "__fish_diag_using_subcommand explain" -s q -l quiet -d 'No progress and no warnings on stderr'
complete -c diag -n "__fish_diag_using_subcommand explain" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c diag -n "__fish_diag_using_subcommand completions" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c diag -n "__fish_diag_using_subcommand config; and not __fish_seen_subcommand_from show init" -s h -l help -d 'Print help'
complete -c diag -n "__fish_diag_using_subcommand config; and not __fish_seen_subcommand_from show init" -f -a "show" -d 'The settings in force'
complete -c diag -n "__fish_diag_using_subcommand config; and not __fish_seen_subcommand_from show init" -f -a "init" -d 'A commented template of diag.toml'
complete -c diag -n "__fish_diag_using_subcommand config; and __fish_seen_subcommand_from show" -s o -l output -d 'Format (default: text)' -r -f -a "text\t'For people'
json\t'For programs'
markdown\t'For tickets'
html\t'For mails'"
complete -c diag -n "__fish_diag_using_subcommand config; and __fish_seen_subcommand_from show" -l lang -d 'Language (default: of the locale; JSON: en)' -r -f -a "zh\t'Chinese'
en\t'English'"
complete -c diag -n "__fish_diag_using_subcommand config; and __fish_seen_subcommand_from show" -l fail-on -d 'Lowest severity of a finding that fails the run (default: error)' -r -f -a "info\t'Any finding'
warning\t'Warnings and errors'
error\t'Errors'"
complete -c diag -n "__fish_diag_using_subcommand config; and __fish_seen_subcommand_from show" -l skip -d 'Hide a finding, everywhere or about one subject; repeatable' -r -f
complete -c diag -n "__fish_diag_using_subcommand config; and __fish_seen_subcommand_from show" -l only -d 'Show only findings of this code; repeatable' -r -f
complete -c diag -n "__fish_diag_using_subcommand config; and __fish_seen_subcommand_from show" -l config -d 'Settings file (default: diag/diag.toml in the user\'s config directory)' -r -F
complete -c diag -n "__fish_diag_using_subcommand config; and __fish_seen_subcommand_from show" -l profile -d 'Profile of the settings file' -r -f
complete -c diag -n "__fish_diag_using_subcommand config; and __fish_seen_subcommand_from show" -l color -l colour -d 'Colours (default: auto)' -r -f -a "auto\t'On a terminal'
always\t'Also into a pipe'
never\t'Nowhere'"
complete -c diag -n "__fish_diag_using_subcommand config; and __fish_seen_subcommand_from show" -l origin -d 'Say where each value came from'
complete -c diag -n "__fish_diag_using_subcommand config; and __fish_seen_subcommand_from show" -l brief -d 'One line per service: outcome, code, certainty, subject: message'
complete -c diag -n "__fish_diag_using_subcommand config; and __fish_seen_subcommand_from show" -s v -l verbose -d 'Show everything; -vv also logs to stderr'
complete -c diag -n "__fish_diag_using_subcommand config; and __fish_seen_subcommand_from show" -s q -l quiet -d 'No progress and no warnings on stderr'
complete -c diag -n "__fish_diag_using_subcommand config; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c diag -n "__fish_diag_using_subcommand config; and __fish_seen_subcommand_from init" -s h -l help -d 'Print help'

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
