/** What a form says above its button about an error of the server. */
export interface FormProblem {
  readonly message: string;
  /** Errors of fields that the form does not have. */
  readonly others: readonly string[];
}

/**
 * Each error is said once: at its field if the form has it, above the button otherwise. The message of the server repeats
 * the first field by its name in the API, so it is left out when all errors are at their fields.
 */
export function formProblem(
  message: string,
  fields: Readonly<Record<string, string>>,
  shown: ReadonlySet<string>,
): FormProblem {
  const names = Object.keys(fields);
  const others = names.filter((name) => !shown.has(name));
  if (names.length > 0 && others.length === 0)
    return { message: names.length === 1 ? 'Correct the marked field' : 'Correct the marked fields', others: [] };
  return { message, others: others.map((name) => `${labelOf(name)}: ${fields[name]}`) };
}

function labelOf(name: string): string {
  const words = name.replace(/^(body|query)\./, '').replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
