// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// A stand-in of Apple's module: declarations that our code and the guides use, without bodies.

@_exported public import Foundation
public import UIKit

@MainActor @preconcurrency public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
}

extension Never: View {
    public var body: Never { fatalError() }
}

/// The result of every modifier here.
public struct StandInView: View {
    public var body: Never { fatalError() }
}

public struct TupleView: View {
    public var body: Never { fatalError() }
}

@resultBuilder public struct ViewBuilder {
    public static func buildBlock<V: View>(_ view: V) -> V { fatalError() }
    public static func buildBlock<each V: View>(_ view: repeat each V) -> TupleView { fatalError() }
    public static func buildExpression<V: View>(_ view: V) -> V { fatalError() }
    public static func buildIf<V: View>(_ view: V?) -> V? { fatalError() }
    public static func buildEither<V: View>(first: V) -> StandInView { fatalError() }
    public static func buildEither<V: View>(second: V) -> StandInView { fatalError() }
}

extension Optional: View where Wrapped: View {
    public var body: Never { fatalError() }
}

@propertyWrapper @dynamicMemberLookup public struct Binding<Value> {
    public init(get: @escaping () -> Value, set: @escaping (Value) -> Void) { fatalError() }
    public var wrappedValue: Value {
        get { fatalError() }
        nonmutating set { fatalError() }
    }
    public var projectedValue: Binding<Value> { fatalError() }
    public subscript<S>(dynamicMember keyPath: WritableKeyPath<Value, S>) -> Binding<S> { fatalError() }
}

public enum ColorScheme: Sendable, Hashable { case light, dark }

@MainActor public struct OpenURLAction: Sendable {
    public func callAsFunction(_ url: URL) { fatalError() }
}

public struct EnvironmentValues {
    public var openURL: OpenURLAction { fatalError() }
    public var colorScheme: ColorScheme { fatalError() }
}

@propertyWrapper public struct Environment<Value> {
    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) { fatalError() }
    public var wrappedValue: Value { fatalError() }
}

@propertyWrapper public struct FocusState<Value: Hashable> {
    public init<T: Hashable>() where Value == T? { fatalError() }
    public init() where Value == Bool { fatalError() }
    public var wrappedValue: Value {
        get { fatalError() }
        nonmutating set { fatalError() }
    }
    public var projectedValue: Binding { fatalError() }

    public struct Binding {}
}

@MainActor @preconcurrency public protocol UIViewRepresentable: View where Body == Never {
    associatedtype UIViewType: UIView
    associatedtype Coordinator = Void
    typealias Context = UIViewRepresentableContext<Self>
    func makeUIView(context: Context) -> UIViewType
    func updateUIView(_ uiView: UIViewType, context: Context)
    static func dismantleUIView(_ uiView: UIViewType, coordinator: Coordinator)
    func makeCoordinator() -> Coordinator
}

extension UIViewRepresentable {
    public static func dismantleUIView(_ uiView: UIViewType, coordinator: Coordinator) { fatalError() }
    public var body: Never { fatalError() }
}

extension UIViewRepresentable where Coordinator == Void {
    public func makeCoordinator() -> Coordinator { fatalError() }
}

@MainActor public struct UIViewRepresentableContext<Representable: UIViewRepresentable> {
    public let coordinator: Representable.Coordinator
    public var environment: EnvironmentValues { fatalError() }
}
