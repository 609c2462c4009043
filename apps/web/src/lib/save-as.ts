/** Gives the browser a file to keep. */
export function saveAs(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  Object.assign(document.createElement('a'), { href: url, download: name }).click();
  // Some browsers begin to read only after this.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
