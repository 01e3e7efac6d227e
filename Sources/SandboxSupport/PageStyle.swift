/// The style sheet of every page of the sandbox: light and dark, phone and paper.
///
/// Colours are custom properties, set once for each background. Text has a contrast of 4.5:1 at least, edges of
/// controls 3:1; controls that are pressed are 44 px high (WCAG 2.2: 1.4.3, 1.4.11, 2.5.8). Nothing is loaded.
package enum PageStyle {
    package static let text = """
        :root{color-scheme:light dark;\(light)}
        @media (prefers-color-scheme:dark){:root:not([data-theme=light]){\(dark)}}
        :root[data-theme=light]{color-scheme:light}
        :root[data-theme=dark]{color-scheme:dark;\(dark)}
        *{box-sizing:border-box}
        body{margin:0;background:var(--ground);color:var(--ink);font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
        .sandbox{margin:0;padding:.375rem 1rem;text-align:center;font-weight:600;font-size:.9375rem;color:#2b2200;\
        background:repeating-linear-gradient(-45deg,#ffdc5e 0 14px,#ffcf33 14px 28px)}
        .sandbox a{display:inline-block;padding:.375rem .625rem;color:inherit}
        main{max-width:34rem;margin:0 auto;padding:1rem}
        main.wide{max-width:72rem}
        h1{font-size:1.5rem;line-height:1.25;margin:1rem 0 .5rem}
        h2{font-size:1.1875rem;margin:1.75rem 0 .5rem}
        h3{font-size:1rem;margin:1.25rem 0 .25rem}
        a{color:var(--go)}
        :focus-visible{outline:3px solid var(--go);outline-offset:2px}
        .card{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:1rem;margin:1rem 0}
        .card>:first-child{margin-top:0}.card>:last-child{margin-bottom:0}
        .price{font-size:2rem;font-weight:650;line-height:1.2;margin:.25rem 0}
        .faint,small,.hint{color:var(--faint)}
        .good{color:var(--good)}.doubtful{color:var(--doubt)}.bad,.problems{color:var(--stop)}
        .good::before{content:"\\2713  " / ""}.bad::before{content:"\\2715  " / ""}
        .chip{display:inline-block;border:1px solid currentColor;border-radius:1rem;padding:0 .625rem;font-weight:600}
        dl{display:grid;grid-template-columns:minmax(7rem,max-content) 1fr;gap:.25rem 1rem;margin:.5rem 0}
        dt{color:var(--faint)}dd{margin:0;min-width:0}
        label{display:block;font-weight:600;margin-top:.75rem}
        label small{font-weight:400}
        input,select,textarea{width:100%;min-height:44px;padding:.5rem .625rem;font:inherit;color:inherit;background:var(--card);\
        border:1px solid var(--edge);border-radius:8px}
        textarea{min-height:6rem}
        input[aria-invalid=true]{border:2px solid var(--stop)}
        input[type=checkbox],input[type=radio]{width:24px;height:24px;min-height:24px;margin:0;accent-color:var(--go)}
        .check{display:flex;gap:.625rem;align-items:center;margin:.75rem 0}.check input{flex:none}.check label{margin:0;font-weight:400;padding:.625rem 0}
        fieldset{border:1px solid var(--line);border-radius:8px;margin:1rem 0;padding:.25rem 1rem 1rem}
        legend{padding:0 .375rem;font-weight:600}
        button,.button{display:inline-block;min-height:44px;padding:.5rem 1rem;font:inherit;font-weight:600;text-align:center;\
        text-decoration:none;color:var(--ink);background:var(--card);border:1px solid var(--edge);border-radius:8px;cursor:pointer}
        .primary{color:var(--go-ink);background:var(--go);border-color:var(--go)}
        .quiet{border-color:transparent;background:none;text-decoration:underline;font-weight:400}
        .danger{color:var(--stop);border-color:var(--stop)}
        .choices{display:flex;flex-direction:column;gap:.625rem;margin:1rem 0 0}
        .choices>*{width:100%}
        .actions{display:flex;flex-wrap:wrap;gap:.5rem;align-items:end;margin:.75rem 0}
        .actions label{margin:0}.actions>div{flex:1 1 9rem;max-width:22rem}
        header.home{display:flex;flex-wrap:wrap;gap:.25rem 1rem;align-items:center;max-width:72rem;margin:0 auto;padding:.5rem 1rem 0}
        header.home strong{font-size:1.0625rem;margin-right:auto}
        nav a{display:inline-block;padding:.625rem .75rem;border-radius:8px;text-decoration:none;font-weight:600}
        nav a[aria-current]{background:var(--mark);text-decoration:underline}
        .rooms{display:grid;grid-template-columns:repeat(auto-fit,minmax(14rem,1fr));gap:1rem}
        .rooms .card{margin:0}.rooms h2{margin:0}
        table{border-collapse:collapse;width:100%}
        th,td{text-align:left;padding:.5rem .5rem .5rem 0;vertical-align:top;border-top:1px solid var(--line)}
        thead th{border:0;color:var(--faint);font-weight:400}
        .do{white-space:nowrap;text-align:right;padding-right:0}.do button{margin:.125rem 0}
        table.stack td,table.stack tbody th{vertical-align:middle}
        .rows{list-style:none;padding:0;margin:0}
        .rows li{display:flex;flex-wrap:wrap;gap:.25rem .5rem;align-items:center;padding:.375rem 0;border-top:1px solid var(--line)}
        .what{flex:1 1 18rem;min-width:0}.what code{display:block;color:var(--faint)}.rows .link{flex:1 1 100%}
        .more summary{padding:.625rem .5rem}.more[open]{flex:1 1 100%;text-align:right}
        th{overflow-wrap:break-word}
        code,pre,.code{font-family:ui-monospace,SFMono-Regular,Menlo,monospace;font-size:.9375em}
        pre{white-space:pre-wrap;background:var(--card);border:1px solid var(--line);border-radius:8px;padding:.75rem;margin:.25rem 0}
        .qr{width:min(100%,17rem);background:#fff;border-radius:8px;display:block;margin:.5rem 0}
        .qr svg,.qr img{display:block;width:100%;height:auto}
        .qr.small{width:9rem;flex:none;align-self:flex-start;margin:0}
        pre[tabindex]{max-height:9rem;overflow:auto}
        .beside{display:flex;flex-wrap:wrap;gap:1rem}.beside>div{flex:1 1 14rem;min-width:0}
        .log{list-style:none;padding:0;margin:.5rem 0;max-height:32rem;overflow:auto}
        .log li{padding:.25rem 0;border-top:1px solid var(--line)}
        .log time{color:var(--faint);margin-right:.5rem}
        .note{background:var(--warn);border-radius:8px;padding:.625rem .875rem}
        summary{cursor:pointer;min-height:44px;padding:.625rem 0;font-weight:600}
        details form{margin-bottom:1rem}
        [hidden]{display:none!important}
        @media (max-width:40rem){dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:.5rem}
        table.stack thead{display:none}table.stack tr{display:block;border-top:1px solid var(--line);padding:.5rem 0}
        table.stack th,table.stack td{display:block;border:0;padding:.125rem 0}
        td[data-title]::before{content:attr(data-title) ": ";color:var(--faint)}table.stack .do{white-space:normal;text-align:left}
        .actions>div{max-width:none}}
        @media print{body{background:#fff;color:#000}nav,button,.button,form{display:none}.card{border-color:#000}\
        .sandbox{border:2px solid #000;background:#fff;color:#000}}

        """

    private static let light =
        "--ground:#f6f5f1;--card:#fff;--ink:#1d1c1a;--faint:#5d5a53;--line:#dbd8cf;--edge:#827e75;"
        + "--go:#0b6b4f;--go-ink:#fff;--stop:#a8261b;--good:#0b6b4f;--doubt:#7a5200;--mark:#e9f3ee;"
        + "--warn:#fdf3dc"
    private static let dark =
        "--ground:#131518;--card:#1c1f23;--ink:#eeece7;--faint:#b1aea6;--line:#34383d;--edge:#85888c;"
        + "--go:#5fd3a5;--go-ink:#05251a;--stop:#ff9d92;--good:#5fd3a5;--doubt:#f0c469;--mark:#17322a;"
        + "--warn:#3a2f14"

    /// The text on every page.
    package static let banner = "Sandbox: no money moves"
}
