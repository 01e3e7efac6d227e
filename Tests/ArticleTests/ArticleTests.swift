import Foundation
import TestSupport
import Testing

@Suite("Code in articles")
struct ArticleTests {
    @Test("Every Swift block of the README and the articles stands, line by line, in code that is compiled and run")
    func compiled() throws {
        let snippets = try Snippet.all()
        let sources = try Snippet.sources()
        #expect(snippets.count > 20)
        for snippet in snippets where snippet.home(in: sources) == nil {
            Issue.record("\(snippet) is compiled nowhere: \(snippet.lines.first ?? "")")
        }
    }

    @Test("A block that differs by one name is not found")
    func sensitive() throws {
        let snippet = Snippet(article: "a", number: 1, lines: ["let a = 1", "print(a)"])
        #expect(snippet.home(in: ["x": ["func f() {", "let a = 1", "print(a)", "}"]]) == "x")
        #expect(snippet.home(in: ["x": ["let a = 1", "let b = 2", "print(a)"]]) == nil)
        #expect(snippet.home(in: ["x": ["let a = 2", "print(a)"]]) == nil)
    }

    @Test("Every error code that this package makes has its line in the article about errors, and no other")
    func errors() throws {
        let code = try String(
            contentsOf: Snippet.root.appending(path: "Sources/PaymentCore/Errors/PaymentError.swift"), encoding: .utf8)
        let made = Set(code.matches(of: /= Code\(rawValue: "([a-z-]+)"\)/).map { String($0.1) })
        let article = try String(
            contentsOf: Snippet.root.appending(path: "Sources/PaymentRouting/PaymentRouting.docc/Errors.md"),
            encoding: .utf8)
        let told = article.matches(of: /(?m)^\| `([a-z-]+)` \|/).map { String($0.1) }
        #expect(Set(told) == made && told.count == made.count)
    }

    @Test("What an example prints is what the article about it shows")
    func printed() throws {
        let article = try String(
            contentsOf: Snippet.root.appending(
                path: "Sources/PaymentRouting/PaymentRouting.docc/SurvivingACrash.md"), encoding: .utf8)
        let output = try String(
            contentsOf: Snippet.root.appending(path: "Examples/crash-recovery/expected-output.txt"), encoding: .utf8)
        #expect(article.contains("```text\n\(output)```"))
    }

    @Test("Every link from the README or an article to a file leads to one")
    func links() throws {
        var count = 0
        for (article, text) in try Snippet.articles() {
            let folder = Snippet.root.appending(path: article).deletingLastPathComponent()
            for match in text.matches(of: /\]\(([^)#:]+)(?:#[^)]*)?\)/) {
                count += 1
                let file = folder.appending(path: String(match.1)).standardizedFileURL
                #expect(FileManager.default.fileExists(atPath: file.path), "\(article) links to \(match.1)")
            }
        }
        #expect(count > 40)
    }

    @Test("Every article is on its catalogue's page, every library and every article for users on the first page")
    func curated() throws {
        let articles = Dictionary(uniqueKeysWithValues: try Snippet.articles().map { ($0.path, $0.text) })
        let first = try #require(articles[Snippet.firstPage])
        var count = 0
        for path in articles.keys.sorted() where path != Snippet.firstPage {
            guard let match = path.firstMatch(of: #/^(.*/(\w+)\.docc)/(\w+)\.md$/#) else { continue }
            let (folder, catalogue, name) = (match.1, match.2, match.3)
            // The topics of a type are no article.
            if articles[path]?.hasPrefix("# ``\(catalogue)/") == true { continue }
            count += 1
            guard name != catalogue else {
                #expect(first.contains("\n- ``/\(catalogue)``\n"), "the first page lacks \(catalogue)")
                continue
            }
            let page = articles["\(folder)/\(catalogue).md"] ?? ""
            #expect(page.contains("\n- <doc:\(name)>\n"), "\(catalogue)'s page lacks \(name)")
            guard ["PaymentRouting", "PaymentCore"].contains(catalogue) || name == "Differences" else { continue }
            #expect(first.contains("\n- <doc:/\(catalogue)/\(name)>\n"), "the first page lacks \(catalogue)'s \(name)")
        }
        #expect(count > 50)
    }

    @Test("Every library is documented: in the archive, by the package index, and on a page")
    func documented() throws {
        func text(_ path: String) throws -> String {
            try String(contentsOf: Snippet.root.appending(path: path), encoding: .utf8)
        }
        let (script, index) = (try text(".ci/documentation/build"), try text(".spi.yml"))
        let list = try #require(script.firstMatch(of: /LIBRARIES="([^"]+)"/)).1
        let words = Set(list.split(whereSeparator: \.isWhitespace).map(String.init))
        let pages = Set(
            try Snippet.articles().compactMap { article in
                article.path.firstMatch(of: #/(\w+)\.docc/\1\.md$/#).map { String($0.1) }
            })
        let libraries = try PackageDump.libraries.get()
        #expect(libraries.count > 20)
        for library in libraries {
            #expect(words.contains(library), "the archive lacks \(library)")
            #expect(pages.contains(library), "\(library) has no page")
            #expect(index.contains("- \(library)\n"), ".spi.yml lacks \(library)")
        }
        #expect(words.isSubset(of: pages))
    }
}
