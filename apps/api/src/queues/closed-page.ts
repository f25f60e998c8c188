/** What a browser is shown that was not let in, or is no more. @param base the path under which a proxy serves us, without a slash at its end */
export function closedPage(base: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Chorus queues</title>
</head>
<body>
<h1>The queues are closed</h1>
<p>Operators open them from <a href="${base}/jobs">the console</a>, for half an hour at a time.</p>
</body>
</html>
`;
}
