/**
 * One collection for all registrations of the server that report diagnostics: a document that was registered by itself is
 * reported on with the workspace too, and is shown as its own registration has it.
 */
import * as vscode from 'vscode';
import type { DiagnosticCollectionProvider } from 'vscode-languageclient/node';
import { type Layer, Layers } from '../layers';

type Diagnostics = readonly vscode.Diagnostic[];

/** Gives each registration a layer above those before it. */
export class LayeredDiagnostics implements DiagnosticCollectionProvider {
  readonly #layers = new Layers<Diagnostics>();
  #shown: vscode.DiagnosticCollection | undefined;

  create(name: string | undefined): vscode.DiagnosticCollection {
    this.#shown ??= vscode.languages.createDiagnosticCollection(name);
    return new DiagnosticLayer(name ?? '', this.#layers.add(), (uri) => {
      this.#shown?.set(uri, this.#layers.get(uri.toString()));
    });
  }

  dispose(collection: vscode.DiagnosticCollection): void {
    collection.dispose();
    if (!this.#layers.isEmpty) return;
    this.#shown?.dispose();
    this.#shown = undefined;
  }
}

class DiagnosticLayer implements vscode.DiagnosticCollection {
  readonly name: string;
  readonly #layer: Layer<Diagnostics>;
  readonly #show: (uri: vscode.Uri) => void;

  constructor(name: string, layer: Layer<Diagnostics>, show: (uri: vscode.Uri) => void) {
    this.name = name;
    this.#layer = layer;
    this.#show = show;
  }

  set(uri: vscode.Uri, diagnostics: Diagnostics | undefined): void;
  set(entries: readonly [vscode.Uri, Diagnostics | undefined][]): void;
  set(place: vscode.Uri | readonly [vscode.Uri, Diagnostics | undefined][], diagnostics?: Diagnostics): void {
    if (place instanceof vscode.Uri) this.#set(place, diagnostics);
    else for (const [uri, its] of place) this.#set(uri, its);
  }

  delete(uri: vscode.Uri): void {
    this.#set(uri, undefined);
  }

  clear(): void {
    for (const key of [...this.#layer.values.keys()]) this.delete(vscode.Uri.parse(key));
  }

  forEach(
    callback: (uri: vscode.Uri, diagnostics: Diagnostics, collection: vscode.DiagnosticCollection) => unknown,
  ): void {
    for (const [uri, diagnostics] of this) callback(uri, diagnostics, this);
  }

  get(uri: vscode.Uri): Diagnostics | undefined {
    return this.#layer.values.get(uri.toString());
  }

  has(uri: vscode.Uri): boolean {
    return this.#layer.values.has(uri.toString());
  }

  *[Symbol.iterator](): Iterator<[uri: vscode.Uri, diagnostics: Diagnostics]> {
    for (const [key, diagnostics] of this.#layer.values) yield [vscode.Uri.parse(key), diagnostics];
  }

  dispose(): void {
    this.clear();
    this.#layer.remove();
  }

  #set(uri: vscode.Uri, diagnostics: Diagnostics | undefined): void {
    const key = uri.toString();
    if (diagnostics === undefined) this.#layer.values.delete(key);
    else this.#layer.values.set(key, diagnostics);
    this.#show(uri);
  }
}
