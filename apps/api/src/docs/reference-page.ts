import { anthropicStatus, ERRORS, openAiStatus } from '@chorus/contract';

/**
 * Returns the page of the API reference. It has no inline script or style, so its policy can forbid them.
 * @param base path under which a proxy serves the API, without a trailing slash
 */
export function referencePage(base: string): string {
  const rows = Object.entries(ERRORS).map(
    ([code, { status, retryable }]) =>
      `<tr id="errors-${code}"><td><code>${code}</code></td><td>${shownStatuses(code, status)}</td><td>${retryable ? 'yes' : 'no'}</td></tr>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference · Chorus</title>
<link rel="icon" href="${base}/docs/favicon.png">
<link rel="stylesheet" href="${base}/docs/swagger-ui.css">
<link rel="stylesheet" href="${base}/docs/reference.css">
<script src="${base}/docs/swagger-ui-bundle.js" defer></script>
<script src="${base}/docs/reference.js" data-document="${base}/openapi.json" defer></script>
</head>
<body>
<nav id="site"><a href="${base}/docs">Chorus docs</a></nav>
<main id="api"><noscript>This page needs JavaScript to show <a href="${base}/openapi.json">the OpenAPI document</a>.</noscript></main>
<section id="errors">
<h2>Errors</h2>
<p>Every error is <code>{"error": {"code", "message", "status", "details", "request_id", "docs"}}</code>. Branch on
<code>code</code>. When you report a problem, include <code>request_id</code>: operators can find the request in the logs by it.</p>
<table>
<thead><tr><th>code</th><th>status</th><th>retryable</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>
</section>
</body>
</html>
`;
}

function shownStatuses(code: string, status: number): string {
  const others = [
    [openAiStatus({ code, status }), '/openai/v1'],
    [anthropicStatus({ code, status }), '/anthropic'],
  ] as const;
  const different = others.filter(([other]) => other !== status);
  if (different.length === 0) return String(status);
  return `${status} (${different.map(([other, path]) => `${other} under <code>${path}</code>`).join(', ')})`;
}
