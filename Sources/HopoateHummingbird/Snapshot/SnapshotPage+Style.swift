#if Hummingbird
    extension SnapshotPage {
        /// The style sheet.
        static let style = #"""
            :root {
              color-scheme: light dark;
              --back: #fbfbfa; --card: #ffffff; --text: #1f2933; --quiet: #5b6770; --line: #dfe3e6; --head: #f1f3f4;
              --link: #0b5cad; --bad: #b3261e; --good: #1c6b45; --critical: #c2570c; --bar: #6c8fb8; --hover: #f2f6fa;
              --instance: #d3e5f5; --registration: #c9e9dc; --container: #fbe0bd; --graph: #e9d8f0; --arguments: #f7efb2;
              --nobody: #ececec; --missing: #fde0dd; --edge: #747d87;
            }
            @media (prefers-color-scheme: dark) {
              :root {
                --back: #14181c; --card: #1b2126; --text: #e4e8eb; --quiet: #9aa5ae; --line: #323a41; --head: #222a30;
                --link: #7db7f0; --bad: #ff8a80; --good: #7fd3a8; --critical: #f2a25c; --bar: #567ba6; --hover: #232c34;
                --instance: #1f3d57; --registration: #1d4a38; --container: #5a3d16; --graph: #45304f; --arguments: #4c4514;
                --nobody: #363c42; --missing: #5a2320; --edge: #8f99a3;
              }
            }
            * { box-sizing: border-box; }
            body {
              margin: 0 auto; max-width: 1500px; padding: 1.5rem clamp(1rem, 3vw, 2.5rem) 4rem; background: var(--back);
              color: var(--text); font: 15px/1.5 system-ui, "DejaVu Sans", sans-serif;
            }
            h1 { margin: 0; font-size: 1.7rem; letter-spacing: -0.01em; }
            h2 { margin: 2.6rem 0 0.6rem; font-size: 1.2rem; scroll-margin-top: 1rem; }
            h3 { margin: 1.2rem 0 0.2rem; font-size: 1rem; }
            p { margin: 0.3rem 0 0.8rem; max-width: 75ch; color: var(--quiet); }
            a { color: var(--link); text-decoration: none; }
            a:hover { text-decoration: underline; }
            :focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
            h2:focus-visible { outline: none; }
            code { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: 0.92em; }
            nav a { margin-right: 1rem; }
            .skip { position: absolute; left: -100vw; }
            .skip:focus { left: 1rem; top: 0.5rem; padding: 0.3rem 0.8rem; background: var(--card); }
            .tiles { display: flex; flex-wrap: wrap; gap: 0.7rem; margin: 1.2rem 0 0; }
            .tile {
              display: flex; flex-direction: column-reverse; min-width: 7.5rem; padding: 0.6rem 0.9rem; background: var(--card);
              border: 1px solid var(--line); border-radius: 8px;
            }
            .tile dt { color: var(--quiet); font-size: 0.8rem; }
            .tile dd { margin: 0; font-size: 1.45rem; font-weight: 600; font-variant-numeric: tabular-nums; line-height: 1.2; }
            .bad, .tile.alert dd { color: var(--bad); font-weight: 600; }
            .exists { color: var(--good); font-weight: 600; }
            .quiet, small { color: var(--quiet); }
            small { font-size: 0.8rem; }
            .scroll { overflow-x: auto; background: var(--card); border: 1px solid var(--line); border-radius: 8px; }
            .tools { display: flex; flex-wrap: wrap; align-items: center; gap: 0.6rem; margin-bottom: 0.6rem; }
            .tools[hidden] { display: none; }
            #search {
              width: min(26rem, 100%); padding: 0.4rem 0.7rem; font: inherit; color: inherit; background: var(--card);
              border: 1px solid var(--edge); border-radius: 6px;
            }
            #found { color: var(--quiet); font-variant-numeric: tabular-nums; }
            table { width: 100%; border-collapse: collapse; font-size: 0.9rem; }
            caption { padding: 0.5rem 0.8rem; text-align: left; color: var(--quiet); font-size: 0.85rem; }
            thead th { background: var(--head); white-space: nowrap; font-size: 0.8rem; }
            th, td { padding: 0.45rem 0.6rem; text-align: left; vertical-align: top; font-weight: normal; }
            tbody th { min-width: 12rem; }
            tbody tr { border-top: 1px solid var(--line); }
            tbody tr:hover { background: var(--hover); }
            tbody tr:target { background: var(--hover); box-shadow: inset 3px 0 var(--link); }
            tbody tr { scroll-margin-top: 4rem; }
            tr.shadowed .name, tr.shadowed .type { text-decoration: line-through; color: var(--quiet); }
            th button {
              padding: 0; border: 0; background: none; font: inherit; color: inherit; font-weight: 600; cursor: pointer;
            }
            th span { font-weight: 600; }
            th button::after { content: " ↕"; color: var(--edge); }
            th[aria-sort=ascending] button::after { content: " ↑"; color: var(--link); }
            th[aria-sort=descending] button::after { content: " ↓"; color: var(--link); }
            .name { display: block; font-weight: 600; overflow-wrap: anywhere; }
            .type, .place { font-size: 0.8rem; color: var(--quiet); overflow-wrap: anywhere; }
            .type, .place { display: block; }
            th small { display: block; }
            .number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
            td ul { min-width: 6.5rem; margin: 0; padding: 0; list-style: none; }
            td bdi { overflow-wrap: anywhere; }
            .life { display: inline-block; padding: 0 0.5rem; border-radius: 4px; color: var(--text); white-space: nowrap; }
            .life.instance { background: var(--instance); } .life.registration { background: var(--registration); }
            .life.container { background: var(--container); } .life.graph { background: var(--graph); }
            .life.arguments { background: var(--arguments); } .life.nobody { background: var(--nobody); }
            svg { display: block; font-family: system-ui, "DejaVu Sans", sans-serif; }
            svg a:hover { text-decoration: none; }
            svg .label { fill: var(--text); font-size: 12.5px; }
            svg .detail, svg .tick, svg .time { fill: var(--quiet); font-size: 11px; }
            .vertex rect { fill: var(--nobody); stroke: var(--edge); stroke-width: 1; }
            .vertex.instance rect { fill: var(--instance); } .vertex.registration rect { fill: var(--registration); }
            .vertex.container rect { fill: var(--container); } .vertex.graph rect { fill: var(--graph); }
            .vertex.arguments rect { fill: var(--arguments); } .vertex.nobody rect { stroke-dasharray: 4 3; }
            .vertex.missing rect { fill: var(--missing); stroke: var(--bad); }
            .vertex.shadowed { opacity: 0.55; }
            .edge { fill: none; stroke: var(--edge); stroke-width: 1.2; }
            .edge.optional { stroke-dasharray: 5 4; } .edge.later { stroke-dasharray: 1.5 3.5; }
            #arrow path { fill: var(--edge); }
            .focused .vertex, .focused .edge { opacity: 0.2; }
            .focused .vertex.near { opacity: 1; } .focused .edge.near { opacity: 1; stroke: var(--link); stroke-width: 1.8; }
            .legend { max-width: none; }
            .timeline { width: 100%; min-width: 44rem; max-width: 75rem; height: auto; }
            .timeline .label { text-anchor: end; } .timeline .tick { text-anchor: middle; }
            .grid { stroke: var(--line); stroke-width: 1; }
            .bar rect { fill: var(--bar); } .bar.critical rect { fill: var(--critical); }
            .key::before {
              content: ""; display: inline-block; width: 0.8rem; height: 0.8rem; margin: 0 0.3rem -1px 0.6rem; border-radius: 3px;
              background: var(--critical);
            }
            figure { margin: 0.6rem 0 1.2rem; } figcaption { margin-bottom: 0.3rem; color: var(--quiet); font-size: 0.85rem; }
            .columns { columns: 24rem; padding-left: 1.2rem; } .columns li { overflow-wrap: anywhere; }
            @media print { .tools, nav, .skip { display: none; } .scroll { overflow: visible; } }
            """#
    }
#endif
