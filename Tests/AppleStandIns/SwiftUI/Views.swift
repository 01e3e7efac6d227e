// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation

public struct Text: View, Equatable, Sendable {
    public init<S: StringProtocol>(_ content: S) { fatalError() }
    public var body: Never { fatalError() }
    public func bold() -> Text { fatalError() }
    public func font(_ font: Font?) -> Text { fatalError() }
    public func foregroundStyle<S: ShapeStyle>(_ style: S) -> Text { fatalError() }
}

public struct VStack<Content: View>: View {
    public init(
        alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content
    ) { fatalError() }
    public var body: Never { fatalError() }
}

public struct HStack<Content: View>: View {
    public init(
        alignment: VerticalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content
    ) { fatalError() }
    public var body: Never { fatalError() }
}

public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content: View>: View {
    public init(
        _ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder content: @escaping (Data.Element) -> Content
    ) { fatalError() }
    public var body: Never { fatalError() }
}

public struct Button<Label: View>: View {
    public init(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label) { fatalError() }
    public var body: Never { fatalError() }
}

extension Button where Label == Text {
    public init<S: StringProtocol>(_ title: S, action: @escaping @MainActor () -> Void) { fatalError() }
    public init<S: StringProtocol>(_ title: S, role: ButtonRole?, action: @escaping @MainActor () -> Void) {
        fatalError()
    }
}

public struct Toggle: View {
    public init<S: StringProtocol>(_ title: S, isOn: Binding<Bool>) { fatalError() }
    public var body: Never { fatalError() }
}

public struct TextField: View {
    public init<S: StringProtocol>(_ title: S, text: Binding<String>) { fatalError() }
    public var body: Never { fatalError() }
}

public struct ProgressView: View {
    public init() { fatalError() }
    public init<S: StringProtocol>(_ title: S) { fatalError() }
    public var body: Never { fatalError() }
}

extension View {
    public func font(_ font: Font?) -> some View { StandInView() }
    public func foregroundStyle<S: ShapeStyle>(_ style: S) -> some View { StandInView() }
    public func frame(
        minWidth: CGFloat? = nil, idealWidth: CGFloat? = nil, maxWidth: CGFloat? = nil, minHeight: CGFloat? = nil,
        idealHeight: CGFloat? = nil, maxHeight: CGFloat? = nil, alignment: Alignment = .center
    ) -> some View { StandInView() }
    public func padding(_ insets: EdgeInsets) -> some View { StandInView() }
    public func padding(_ edges: Edge.Set = .all, _ length: CGFloat? = nil) -> some View { StandInView() }
    public func background<S: ShapeStyle>(_ style: S) -> some View { StandInView() }
    public func background<S: ShapeStyle, T: Shape>(_ style: S, in shape: T) -> some View { StandInView() }
    public func buttonStyle<S: PrimitiveButtonStyle>(_ style: S) -> some View { StandInView() }
    public func textFieldStyle<S: TextFieldStyle>(_ style: S) -> some View { StandInView() }
    public func disabled(_ disabled: Bool) -> some View { StandInView() }
    public func accessibilityLabel<S: StringProtocol>(_ label: S) -> some View { StandInView() }
    public func accessibilityAddTraits(_ traits: AccessibilityTraits) -> some View { StandInView() }
    public func focused<Value: Hashable>(
        _ binding: FocusState<Value>.Binding, equals value: Value
    ) -> some View { StandInView() }
    public func onAppear(perform action: (() -> Void)? = nil) -> some View { StandInView() }
    public func onChange<V: Equatable>(
        of value: V, initial: Bool = false, _ action: @escaping (V, V) -> Void
    ) -> some View { StandInView() }
    public func alert<S: StringProtocol, A: View, M: View>(
        _ title: S, isPresented: Binding<Bool>, @ViewBuilder actions: () -> A, @ViewBuilder message: () -> M
    ) -> some View { StandInView() }
}
