#if Hummingbird
    extension SnapshotPage {
        /// The script: searching and sorting of the table, and highlighting in the graph. It reads the document and nothing else.
        static let script = #"""
            "use strict";
            (() => {
              const table = document.getElementById("table");
              const body = table.tBodies[0];
              const rows = [...body.rows];
              const texts = rows.map((row) => row.textContent.toLowerCase());

              // Searching: a row has to contain all words.
              const search = document.getElementById("search");
              const found = document.getElementById("found");
              const filter = () => {
                const words = search.value.toLowerCase().split(/\s+/).filter((word) => word);
                let count = 0;
                rows.forEach((row, index) => {
                  const isFound = words.every((word) => texts[index].includes(word));
                  row.hidden = !isFound;
                  if (isFound) count += 1;
                });
                found.textContent = words.length ? `${count} of ${rows.length}` : "";
              };
              search.addEventListener("input", filter);
              document.addEventListener("keydown", (event) => {
                const isTyping = event.target instanceof HTMLInputElement;
                if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
                  event.preventDefault();
                  search.focus();
                } else if (event.key === "Escape" && event.target === search) {
                  search.value = "";
                  filter();
                }
              });
              document.querySelector(".tools").hidden = false;

              // A link to a row that the search has hidden shows all rows.
              const reveal = () => {
                const row = rows.find((row) => "#" + row.id === location.hash);
                if (!row || !row.hidden) return;
                search.value = "";
                filter();
                row.scrollIntoView();
              };
              addEventListener("hashchange", reveal);

              // Sorting: by number where a cell has one.
              const value = (row, column) => {
                const cell = row.cells[column];
                if (!cell) return -1;
                if (cell.dataset.value !== undefined) return Number(cell.dataset.value);
                const text = (cell.querySelector(".name") ?? cell).textContent.trim();
                return /^\d+$/.test(text) ? Number(text) : text.toLowerCase();
              };
              const compare = (left, right) => {
                if (typeof left === "number" && typeof right === "number") return left - right;
                return String(left).localeCompare(String(right), "en", { numeric: true });
              };
              const heads = [...table.tHead.rows[0].cells];
              heads.forEach((head, column) => {
                const button = document.createElement("button");
                button.type = "button";
                button.textContent = head.textContent;
                head.replaceChildren(button);
                button.addEventListener("click", () => {
                  const isAscending = head.getAttribute("aria-sort") !== "ascending";
                  heads.forEach((other) => other.removeAttribute("aria-sort"));
                  head.setAttribute("aria-sort", isAscending ? "ascending" : "descending");
                  const keyed = rows.map((row, index) => [value(row, column), index, row]);
                  keyed.sort((left, right) => (compare(left[0], right[0]) || left[1] - right[1]) * (isAscending ? 1 : -1));
                  body.replaceChildren(...keyed.map((entry) => entry[2]));
                });
              });

              // The neighbours of the service under the pointer or with the focus.
              const graph = document.querySelector("svg.graph");
              if (!graph) return;
              const vertices = [...graph.querySelectorAll(".vertex")];
              const edges = [...graph.querySelectorAll(".edge")];
              const highlight = (event) => {
                const vertex = event.target.closest?.(".vertex") ?? event.target.querySelector?.(".vertex");
                const id = vertex && graph.contains(vertex) && event.target !== graph ? vertex.dataset.vertex : undefined;
                graph.classList.toggle("focused", id !== undefined);
                const near = new Set([id]);
                edges.forEach((edge) => {
                  const isNear = edge.dataset.from === id || edge.dataset.to === id;
                  edge.classList.toggle("near", isNear);
                  if (isNear) near.add(edge.dataset.from).add(edge.dataset.to);
                });
                vertices.forEach((vertex) => vertex.classList.toggle("near", near.has(vertex.dataset.vertex)));
              };
              graph.addEventListener("pointerover", highlight);
              graph.addEventListener("focusin", highlight);
              const clear = () => graph.classList.remove("focused");
              graph.addEventListener("pointerleave", clear);
              graph.addEventListener("focusout", clear);
            })();
            """#
    }
#endif
