import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';

/** Names in the plain JavaScript of a folder, which imports compiled files and which the compiler does not read. */
function namesInScripts(folder) {
  const names = new Set();
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.name.endsWith('.mjs')) continue;
    for (const [name] of readFileSync(join(entry.parentPath, entry.name), 'utf8').matchAll(/\w+/g)) names.add(name);
  }
  return names;
}

/**
 * Returns `file: name` for each export of a project that no other file imports. A re-export is no use. A namespace import and
 * a dynamic import use all exports of a module.
 *
 * @param {string} configFile tsconfig.json
 * @param {string} scripts a folder with plain JavaScript that uses exports, too
 * @returns {string[]}
 */
export function unusedExports(configFile, scripts) {
  const host = {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: ({ messageText }) => {
      throw new Error(String(messageText));
    },
  };
  const { fileNames, options } = ts.getParsedCommandLineOfConfigFile(configFile, {}, host);
  const program = ts.createProgram(fileNames, options);
  const checker = program.getTypeChecker();
  const used = new Set();
  const original = (symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol);
  const use = (node) => {
    const symbol = checker.getSymbolAtLocation(node);
    if (symbol) used.add(original(symbol));
  };
  const useAll = (specifier) => {
    const module = checker.getSymbolAtLocation(specifier);
    if (module) for (const symbol of checker.getExportsOfModule(module)) used.add(original(symbol));
  };
  const visit = (node) => {
    if (ts.isImportSpecifier(node) || (ts.isImportClause(node) && node.name)) use(node.name);
    else if (ts.isNamespaceImport(node)) useAll(node.parent.parent.moduleSpecifier);
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      useAll(node.arguments[0]);
    else if (ts.isImportTypeNode(node)) {
      if (node.qualifier) use(node.qualifier);
      else useAll(node.argument.literal);
    }
    ts.forEachChild(node, visit);
  };
  const sources = fileNames.map((name) => program.getSourceFile(name));
  sources.forEach((source) => visit(source));
  const inScripts = namesInScripts(scripts);
  return sources
    .filter((source) => !source.isDeclarationFile)
    .flatMap((source) => {
      const symbols = [...(checker.getSymbolAtLocation(source)?.exports?.values() ?? [])];
      return symbols
        .filter((symbol) => symbol.valueDeclaration ?? symbol.declarations?.some((it) => !ts.isExportDeclaration(it)))
        .filter((symbol) => !(symbol.flags & ts.SymbolFlags.Alias) && symbol.name !== 'default')
        .filter((symbol) => !used.has(symbol) && !inScripts.has(symbol.name))
        .map(({ name }) => `${relative(dirname(configFile), source.fileName)}: ${name}`);
    })
    .sort();
}
