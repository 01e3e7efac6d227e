/// Returns everything that printing, describing and dumping `value` shows.
package func shown(_ value: Any) -> String {
    var dumped = ""
    dump(value, to: &dumped)
    return dumped + "\(value)" + String(describing: value) + String(reflecting: value)
}
