/** All but the tab and line ends, which have escapes of their own. */
const OTHER_CONTROL = /(?![\t\n\r\u0085])\p{Cc}/gu;

/**
 * Agents search for the beginning of a command anywhere in a line, some even inside the text of a command. Untrusted
 * text must not contain one.
 */
function harmless(text: string): string {
  return text.replace(OTHER_CONTROL, ' ').replace(/##(?=\s*(?:vso|teamcity)?\[)/gi, '# #');
}

function lineEnds(text: string): string {
  return text.replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

export function githubData(text: string): string {
  return lineEnds(harmless(text).replaceAll('%', '%25'));
}

export function githubProperty(text: string): string {
  return githubData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

export function azureData(text: string): string {
  return lineEnds(harmless(text).replaceAll('%', '%AZP25'));
}

export function azureProperty(text: string): string {
  return azureData(text).replaceAll(']', '%5D').replaceAll(';', '%3B');
}

const TEAMCITY: Readonly<Record<string, string>> = {
  '|': '||',
  "'": "|'",
  '[': '|[',
  ']': '|]',
  '\n': '|n',
  '\r': '|r',
  '\u0085': '|x',
  '\u2028': '|l',
  '\u2029': '|p',
};

export function teamcityValue(text: string): string {
  return harmless(text)
    .replace(/[|'[\]\n\r\u0085\u2028\u2029]/g, (character) => TEAMCITY[character] ?? character)
    .replace(/[^\t\x20-\x7e]/g, (unit) => `|0x${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
