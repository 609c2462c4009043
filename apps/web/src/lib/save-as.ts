/** Saves a file from the browser. */
export function saveAs(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  Object.assign(document.createElement('a'), { href: url, download: name }).click();
  // Some browsers start reading only after this.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
