#if Configuration
    import Configuration
    import HopoateConfiguration
    import Testing

    private enum Level: String, CaseIterable, ConfigurationValue {
        case low, high
    }

    private struct Port: LosslessStringConvertible, ConfigurationValue, Equatable {
        static let configurationExpectation = "a port such as :80"
        let number: Int
        init?(_ description: String) {
            guard description.hasPrefix(":"), let number = Int(description.dropFirst()) else { return nil }
            self.number = number
        }
        var description: String { ":\(number)" }
    }

    /// The accepted and refused values of settings.
    @Suite struct SettingTests {
        private func value<Value>(_ text: String, of setting: Setting<Value>) throws -> Value {
            try environment(["KEY": text]).read(setting)
        }

        @Test func eachTypeReadsItsTexts() throws {
            #expect(try value("a b", of: Setting<String>.required("key")) == "a b")
            #expect(try value("-7", of: Setting<Int>.required("key")) == -7)
            #expect(try value("2.5", of: Setting<Double>.required("key")) == 2.5)
            #expect(try value("yes", of: Setting<Bool>.required("key")))
            #expect(try value("a, b", of: Setting<[String]>.required("key")) == ["a", "b"])
            #expect(try value("high", of: Setting<Level>.required("key")) == .high)
            #expect(try value(":80", of: Setting<Port>.required("key")).number == 80)
            #expect(try value("x", of: Setting<Secret<String>>.required("key")) == Secret("x"))
        }

        @Test(arguments: [
            ("0", 0), ("7", 7_000), ("250ms", 250), ("10s", 10_000), ("5m", 300_000), ("2h", 7_200_000),
        ])
        func durationsHaveUnits(text: String, milliseconds: Int) throws {
            #expect(try value(text, of: Setting<Duration>.required("key")) == .milliseconds(milliseconds))
        }

        @Test(arguments: ["", "s", "-1s", "1.5s", "1d", "1 s", "9223372036854775807h", "99999999999999999999", "١s"])
        func otherDurationsAreRefused(text: String) {
            #expect(
                messages {
                    _ = try value(text, of: Setting<Duration>.required("key", in: .milliseconds(1)...(.seconds(60))))
                }
                .first?.hasPrefix("KEY is '\(text)'. Set it to a time such as 250ms, 10s, 5m or 2h from 1ms to 60s. ")
                    == true)
        }

        @Test(arguments: [Duration.seconds(Int64.max), .seconds(Int64.max) * 4])
        func aBoundThatMeansNoLimitIsShown(bound: Duration) {
            let range = Duration.milliseconds(1)...bound
            let message = messages { _ = try value("x", of: Setting<Duration>.required("key", in: range)) }.first
            #expect(message?.contains(" from 1ms to \(bound). ") == true)
        }

        @Test func everyMessageNamesTheAcceptedValues() {
            func remedy<Value>(_ text: String, _ setting: Setting<Value>) -> String? {
                messages { _ = try value(text, of: setting) }.first.map { message in
                    String(message.prefix(while: { $0 != "." }))
                        + String(
                            message.dropFirst(message.prefix(while: { $0 != "." }).count).prefix(while: { $0 != "I" }))
                }
            }
            #expect(remedy("", Setting<String>.required("key")) == "KEY is ''. Set it to a text that is not empty. ")
            #expect(remedy("x", Setting<Int>.required("key")) == "KEY is 'x'. Set it to a whole number. ")
            #expect(
                remedy("nan", Setting<Double>.optional("key", default: 1))
                    == "KEY is 'nan'. Set it to a number, or leave it out. ")
            #expect(remedy("2", Setting<Bool>.required("key")) == "KEY is '2'. Set it to true or false. ")
            #expect(
                remedy("a,,b", Setting<[String]>.required("key"))
                    == "KEY is 'a,,b'. Set it to a list of texts that are not empty. ")
            #expect(remedy("mid", Setting<Level>.required("key")) == "KEY is 'mid'. Set it to one of low, high. ")
            #expect(remedy("80", Setting<Port>.required("key")) == "KEY is '80'. Set it to a port such as :80. ")
            #expect(
                remedy("x", Setting<Int?>.optional("key", expecting: "three") { $0 == "3" ? 3 : nil })
                    == "KEY is 'x'. Set it to three, or leave it out. ")
        }

        @Test func rangesIncludeTheirBoundsAndNothingElse() throws {
            for (text, isAccepted) in [
                ("0.5", true), ("2", true), ("0.4999", false), ("2.0001", false), ("inf", false),
            ] {
                let setting = Setting<Double>.required("key", in: 0.5...2)
                if isAccepted {
                    #expect(try value(text, of: setting) == Double(text))
                } else {
                    let found = messages { _ = try value(text, of: setting) }
                    #expect(found.first?.contains("Set it to a number from 0.5 to 2. ") == true)
                }
            }
        }

        @Test func absentSettingsHaveTheirDefaultOrNil() throws {
            let (number, text, ranged, parsed, level) = try environment([:]).read(
                Setting<Int>.optional("a", default: 99, in: 1...2), Setting<String?>.optional("b"),
                Setting<Int?>.optional("c", in: 1...2), Setting<Int?>.optional("d", expecting: "x") { _ in 1 },
                Setting<Level>.optional("e", default: .low, expecting: "x") { _ in .high })
            #expect(number == 99)
            #expect(text == nil)
            #expect(ranged == nil)
            #expect(parsed == nil)
            #expect(level == .low)
        }

        @Test func presentOptionalSettingsAreChecked() throws {
            let setting = Setting<Int?>.optional("key", in: 1...2)
            #expect(try value("2", of: setting) == 2)
            #expect(throws: DependencyConfigurationError.self) { try value("3", of: setting) }
            #expect(throws: DependencyConfigurationError.self) { try value("", of: Setting<String?>.optional("key")) }
        }

        @Test func closuresGetEmptyTexts() throws {
            #expect(try value("", of: Setting<Int>.required("key", expecting: "any text") { $0.count }) == 0)
        }

        @Test func valuesOfOtherTypesAreShown() throws {
            let configuration: DependencyConfiguration = [
                InMemoryProvider(values: [
                    "text": 5, "number": "five", "time": 5, "list": .init(.intArray([1, 2]), isSecret: false),
                ])
            ]
            #expect(try configuration.read(Setting<Duration>.required("time")) == .seconds(5))
            let found = messages {
                _ = try configuration.read(
                    Setting<String>.required("text"), Setting<Int>.required("number"),
                    Setting<[String]>.required("list"))
            }
            #expect(
                found.map { $0.prefix(while: { $0 != "." }) } == [
                    "text is '5'", "number is 'five'", "list is '[1, 2]'",
                ])
        }

        @Test func longAndHostileValuesAreShortenedToOneLine() {
            let long = String(repeating: "9", count: 100_000)
            #expect(
                messages { _ = try value(long, of: Setting<Int>.required("key")) }.first?
                    .hasPrefix("KEY is '\(String(repeating: "9", count: 64))…'. ") == true)
            let marks = "a" + String(repeating: "\u{301}", count: 100_000)
            let shown = messages { _ = try value(marks, of: Setting<Int>.required("key")) }.first ?? ""
            #expect((1...400).contains(shown.utf8.count))
            let lines = messages { _ = try value("1\n\u{1B}[2K\u{202E}x\u{2028}", of: Setting<Int>.required("key")) }
            #expect(lines.first?.hasPrefix(#"KEY is '1\n\u{1B}[2K\u{202E}x\u{2028}'. "#) == true)
        }
    }
#endif
