/** What is shown in place of a console that was never built. @param base the path under which a proxy serves us, without a slash at its end */
export function missingPage(base: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Chorus</title>
</head>
<body>
<h1>Chorus runs; its web console is not built here</h1>
<p>Run <code>npm start</code>, which builds it, or <code>node apps/console/build.mjs</code> where the platform's files lie; then open this page again.</p>
<p>All that the console does is in the HTTP API, too: <a href="${base}/docs">its documentation</a>.</p>
</body>
</html>
`;
}
