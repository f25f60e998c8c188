import { ERRORS } from '@chorus/contract';

/**
 * The documentation's page. It has no inline script or style, so that its policy can forbid them.
 *
 * @param base the path under which a proxy serves us, without a slash at its end
 */
export function docsPage(base: string): string {
  const rows = Object.entries(ERRORS).map(
    ([code, { status, retryable }]) =>
      `<tr id="errors-${code}"><td><code>${code}</code></td><td>${status}</td><td>${retryable ? 'yes' : 'no'}</td></tr>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Chorus API</title>
<link rel="icon" href="${base}/docs/favicon.png">
<link rel="stylesheet" href="${base}/docs/swagger-ui.css">
<link rel="stylesheet" href="${base}/docs/docs.css">
<script src="${base}/docs/swagger-ui-bundle.js" defer></script>
<script src="${base}/docs/docs.js" data-document="${base}/openapi.json" defer></script>
</head>
<body>
<main id="api"><noscript>This page shows <a href="${base}/openapi.json">the OpenAPI document</a> by script.</noscript></main>
<section id="errors">
<h2>Errors</h2>
<p>Every error is <code>{"error": {"code", "message", "status", "details", "request_id", "docs"}}</code>. Branch on
<code>code</code>. Give <code>request_id</code> to whoever runs the platform: it finds the log line.</p>
<table>
<thead><tr><th>code</th><th>status</th><th>can a retry help?</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>
</section>
</body>
</html>
`;
}
