/// Words that people type for a command that has another name here, taken from other tools.
enum CommandSynonyms {
    /// Other names of commands, which work as well.
    static let names = ["completions": "completion", "man": "manual"]

    /// Returns a hint for the command that the word is meant for; nil for a word without a meaning.
    static func advice(for word: String) -> String? {
        switch word {
        case "server", "start", "mock":
            "the simulated services are started by 'payroute sandbox', the HTTP API by 'payroute serve'"
        case "listen", "forward", "webhook", "webhooks":
            "'payroute sandbox notify --forward-to <url>' brings a sandbox's notifications to your server"
        case "trigger", "create", "charge", "checkout": "'payroute sandbox new' makes a payment at a running sandbox"
        case "logs", "log", "tail", "events":
            "'payroute sandbox tail' shows what a sandbox sees; 'payroute journal show' what a payment did"
        case "watch":
            "'payroute sandbox tail' shows what happens at a sandbox; 'payroute status' asks about one payment"
        case "config", "configure", "configuration", "settings", "login":
            "there is no file of settings: every command has its options, and 'payroute providers' lists the built-in providers"
        case "scan", "read", "decode", "parse", "image":
            "'payroute inspect --image <file>' reads the code in a picture, 'payroute inspect' any text"
        case "check", "health", "diagnose", "info": "'payroute doctor' looks at this installation"
        case "send", "buy": "'payroute pay' pays a link"
        case "options", "price", "offer": "'payroute quote' shows what a link wants paid and how"
        case "void", "abort": "'payroute cancel' cancels a payment"
        case "list", "history", "ls": "'payroute journal list' shows past payments"
        case "resume", "recover", "retry": "'payroute journal resume' settles interrupted payments"
        case "docs":
            "'payroute manual' prints the manual page, 'payroute help <subcommand>' explains one"
        case "new", "init", "scaffold", "generate":
            "'payroute new-provider <name>' writes a provider, 'payroute sandbox new' makes a payment"
        default: nil
        }
    }
}
