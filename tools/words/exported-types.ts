import { parseSync } from 'oxc-parser';

/** Names of the interfaces, type aliases, classes and enums that a file exports where it declares them. */
export function exportedTypes(file: string, text: string): string[] {
  return parseSync(file, text).program.body.flatMap((statement) => {
    if (statement.type !== 'ExportNamedDeclaration') return [];
    const { declaration } = statement;
    switch (declaration?.type) {
      case 'TSInterfaceDeclaration':
      case 'TSTypeAliasDeclaration':
      case 'TSEnumDeclaration':
      case 'ClassDeclaration':
        return declaration.id ? [declaration.id.name] : [];
      default:
        return [];
    }
  });
}

/** Which files export a type of the same name, for names that more than one of them exports. */
export function sharedTypeNames(files: readonly { readonly file: string; readonly text: string }[]): string[] {
  const declared = files.flatMap(({ file, text }) => exportedTypes(file, text).map((name) => ({ name, file })));
  return [...Map.groupBy(declared, ({ name }) => name)]
    .filter(([, all]) => all.length > 1)
    .map(([name, all]) => `${name}: ${all.map(({ file }) => file).join(', ')}`);
}
