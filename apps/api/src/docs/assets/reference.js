// @ts-nocheck -- runs in the browser, after swagger-ui-bundle.js.
const { document: url } = document.currentScript.dataset;

window.SwaggerUIBundle({
  url,
  dom_id: '#api',
  persistAuthorization: false,
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
});
