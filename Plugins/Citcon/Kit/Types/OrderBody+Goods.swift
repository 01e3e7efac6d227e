import CitconProvider
import PaymentCore

extension CPayGoods {
    var body: JSONValue? {
        var body = BodyWriter()
        body.write("data", goods.map { .array($0.map { $0.body ?? [:] }) })
        body.write("shipping", shipping?.body)
        return body.object
    }
}

extension CPayProduct {
    var body: JSONValue? {
        var body = BodyWriter()
        body["name"] = name
        body["sku"] = sku
        body["url"] = url
        body["category"] = category
        body["product_type"] = productType
        body["description"] = desc
        body["total_discount_code"] = totalDiscountCode
        body.write("quantity", quantity)
        body.write("total_amount", totalAmount)
        body.write("unit_amount", unitAmount)
        body.write("total_tax_rate", totalTaxRate)
        body.write("total_tax_amount", totalTaxAmount)
        body.write("total_discount_amount", totalDiscountAmount)
        body.write("taxable_amount", taxableAmount)
        body.write("tax_exempt_amount", taxExemptAmount)
        body.write("unit_tax_amount", unitTaxAmount)
        return body.object
    }
}

extension CPayShipping {
    var body: JSONValue? {
        var body = BodyWriter()
        body["first_name"] = firstName
        body["last_name"] = lastName
        body["phone"] = phone
        body["email"] = email
        body["street"] = street
        body["street2"] = street2
        body["city"] = city
        body["state"] = state
        body["zip"] = zip
        body["country"] = country
        body["type"] = type
        body.write("amount", amount)
        return body.object
    }
}

extension CPayExt {
    var body: JSONValue? {
        var body = BodyWriter()
        body.write("transaction", transaction?.body)
        body.write("device", device?.body)
        body.write("app", app?.body)
        body.write("gateway", gateway?.body)
        return body.object
    }
}

extension CPayExtTransaction {
    var body: JSONValue? {
        var body = BodyWriter()
        body.write("receipt", BodyWriter { $0["type"] = receipt?.type }.object)
        body["metadata"] = metadata
        return body.object
    }
}

extension CPayExtDevice {
    var body: JSONValue? {
        var body = BodyWriter()
        body["ip"] = ip
        body["os"] = os
        body["os_version"] = osVersion
        body["model"] = model
        body["fingerprint"] = fingerprint
        return body.object
    }
}

extension CPayExtApp {
    var body: JSONValue? {
        var body = BodyWriter()
        body["app_name"] = appName
        body["version"] = version
        body["source"] = source
        body["bundle_id"] = bundleId
        body["sdk_version"] = sdkVersion
        return body.object
    }
}
