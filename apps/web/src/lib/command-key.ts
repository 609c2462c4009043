/** The name of the key that opens the palette: only Apple's keyboards have ⌘. */
export function commandKey(platform: string): '⌘' | 'Ctrl' {
  return /mac|iphone|ipad/i.test(platform) ? '⌘' : 'Ctrl';
}

export const COMMAND_KEY = commandKey(globalThis.navigator?.platform ?? '');
