type Tags = Readonly<Record<string, string>>;

/** Tags as they are edited: one per line. */
export function tagLines(tags: Tags): string {
  return Object.entries(tags)
    .map(([key, value]) => `${key}=${value}`)
    .join('\n');
}

/** The tags to set and to remove to match the lines. */
export function tagChanges(before: Tags, text: string): { set_tags: Record<string, string>; remove_tags: string[] } {
  const after = new Map(
    text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
      .map((line) => {
        const at = line.indexOf('=');
        return at === -1 ? ([line, ''] as const) : ([line.slice(0, at).trim(), line.slice(at + 1).trim()] as const);
      }),
  );
  return {
    set_tags: Object.fromEntries([...after].filter(([key, value]) => before[key] !== value)),
    remove_tags: Object.keys(before).filter((key) => !after.has(key)),
  };
}
