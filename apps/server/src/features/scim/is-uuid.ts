const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether a text can be the id of something of ours, in the one way that we write them. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}
