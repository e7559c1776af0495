/// The products of the shop: articles, their list prices before tax in euro cents, and their stock at the start of a day.
///
/// They are constants, so that the example needs no second file. Some articles are scarce on purpose.
enum Catalogue {
    static var articles: [Article] {
        entries.map { Article(sku: $0.sku, category: $0.category, listPrice: Money($0.cents, .eur)) }
    }

    static var stock: [String: Int64] {
        Dictionary(entries.map { ($0.sku, $0.stock) }) { first, _ in first }
    }

    private static let entries: [(sku: String, category: Article.Category, cents: Int64, stock: Int64)] = [
        ("BOOK-01", .books, 1_899, 50_000),
        ("BOOK-02", .books, 2_450, 50_000),
        ("BOOK-03", .books, 999, 50_000),
        ("BOOK-04", .books, 4_995, 2_700),
        ("CUP-01", .general, 650, 50_000),
        ("CUP-02", .general, 875, 50_000),
        ("CUP-03", .general, 1_215, 50_000),
        ("FILTER-01", .general, 333, 50_000),
        ("FILTER-02", .general, 417, 50_000),
        ("GIFT-01", .general, 1, 50_000),
        ("HONEY-01", .food, 725, 50_000),
        ("HONEY-02", .food, 1_149, 3_000),
        ("KETTLE-01", .general, 4_990, 50_000),
        ("KETTLE-02", .general, 8_900, 2_600),
        ("POT-01", .general, 2_799, 50_000),
        ("POT-02", .general, 3_450, 50_000),
        ("SUGAR-01", .food, 199, 50_000),
        ("SUGAR-02", .food, 287, 50_000),
        ("TEA-01", .food, 489, 50_000),
        ("TEA-02", .food, 615, 50_000),
        ("TEA-03", .food, 1_275, 50_000),
        ("TEA-04", .food, 2_850, 50_000),
        ("TEA-05", .food, 9_999, 2_500),
        ("TIN-01", .general, 555, 50_000),
    ]
}
