import PaymentCore
import Testing

/// The accessibility rules of a page: axe-core's, if it is available, and the most important ones here in a separate
/// script (WCAG 2.2: 1.3.1, 1.4.3, 1.4.10, 2.4.2, 2.5.8, 3.1.1, 4.1.2).
enum PageAudit {
    /// Returns the defects of the shown page; empty if there are none.
    static func run(_ driver: WebDriver) async throws -> [String] {
        let ours = try await driver.run(script).array?.compactMap(\.string) ?? ["the audit did not run"]
        return ours + (try await Axe.run(driver))
    }

    private static let script = """
        const wrong = [];
        const name = (one) => one.tagName.toLowerCase() + (one.id ? "#" + one.id : "") + (one.className && one.className.baseVal === undefined ? "." + one.className : "") + " '" + (one.textContent || "").trim().slice(0, 40) + "'";
        const shown = (one) => one.checkVisibility({checkOpacity: true, checkVisibilityCSS: true}) && one.getClientRects().length > 0;
        const parse = (text) => (text.match(/[\\d.]+/g) || []).map(Number);
        const light = ([r, g, b]) => { const f = (v) => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }; return 0.2126 * f(r) + 0.7152 * f(g) + 0.0722 * f(b); };
        const contrast = (a, b) => { const [x, y] = [light(a), light(b)].sort((m, n) => n - m); return (x + 0.05) / (y + 0.05); };
        const grounds = (one) => {
          for (let at = one; at; at = at.parentElement) {
            const style = getComputedStyle(at);
            if (style.backgroundImage.includes("gradient")) return style.backgroundImage.match(/rgba?\\([^)]*\\)/g).map(parse);
            const colour = parse(style.backgroundColor);
            if (colour.length < 4 || colour[3] > 0.99) return [colour];
          }
          return [[255, 255, 255]];
        };
        const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        const seen = new Set();
        while (texts.nextNode()) {
          const one = texts.currentNode.parentElement;
          if (!texts.currentNode.textContent.trim() || seen.has(one) || !shown(one) || one.closest("svg,script,style,noscript")) continue;
          if (one.closest(":disabled")) continue;
          seen.add(one);
          const style = getComputedStyle(one);
          const size = parseFloat(style.fontSize);
          const need = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
          for (const ground of grounds(one)) {
            const ratio = contrast(parse(style.color), ground);
            if (ratio < need) wrong.push("contrast " + ratio.toFixed(2) + " of " + name(one));
          }
        }
        const called = (one) => {
          if (one.getAttribute("aria-label")) return one.getAttribute("aria-label");
          const by = one.getAttribute("aria-labelledby");
          if (by) return by.split(" ").map((id) => document.getElementById(id)?.textContent || "").join(" ");
          if (one.labels && one.labels.length) return [...one.labels].map((label) => label.textContent).join(" ");
          return one.textContent || one.title || one.alt || "";
        };
        for (const one of document.querySelectorAll("a[href],button,input:not([type=hidden]),select,textarea,summary,[role=button],[role=img]"))
          if (shown(one) && !called(one).trim()) wrong.push("no name: " + name(one));
        for (const one of document.querySelectorAll("button,input:not([type=hidden]),select,textarea,summary,a.button,nav a")) {
          if (!shown(one)) continue;
          const box = one.getBoundingClientRect();
          if (box.width < 24 || box.height < 24) wrong.push("target of " + Math.round(box.width) + "x" + Math.round(box.height) + ": " + name(one));
        }
        const ids = [...document.querySelectorAll("[id]")].map((one) => one.id);
        for (const id of new Set(ids)) if (ids.filter((one) => one === id).length > 1) wrong.push("twice: #" + id);
        if (document.querySelectorAll("h1").length !== 1) wrong.push("h1: " + document.querySelectorAll("h1").length);
        let level = 0;
        for (const one of document.querySelectorAll("h1,h2,h3,h4")) {
          if (!shown(one)) continue;
          const now = Number(one.tagName[1]);
          if (now > level + 1) wrong.push("heading skips a level: " + name(one));
          level = now;
        }
        if (!document.title.trim()) wrong.push("no title");
        if (!document.documentElement.lang) wrong.push("no language");
        if (document.querySelectorAll("main").length !== 1) wrong.push("main: " + document.querySelectorAll("main").length);
        for (const one of document.querySelectorAll("img:not([alt])")) wrong.push("no alt: " + name(one));
        for (const one of document.querySelectorAll("[aria-labelledby],[aria-describedby]"))
          for (const attribute of ["aria-labelledby", "aria-describedby"])
            for (const id of (one.getAttribute(attribute) || "").split(" ").filter(Boolean))
              if (!document.getElementById(id)) wrong.push(attribute + " leads nowhere: " + id);
        const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
        if (wide > 0) wrong.push("scrolls sideways by " + wide + " px");
        return wrong;
        """
}
