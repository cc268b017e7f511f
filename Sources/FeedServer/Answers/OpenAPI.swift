/// The description of the service for machines, built in: docs/openapi.json.
enum OpenAPI {
    static let document = PackageResources.openapi_json
}
