// The site of the documentation: pages, links to files and the table of contents, which is that of docs/README.md.
import { cp, mkdir, readFile } from 'node:fs/promises';
import { dirname, join, posix, relative } from 'node:path';
import { defineConfig } from 'vitepress';

const root = join(import.meta.dirname, '../../..');
const docs = join(root, 'docs');
/** Where the site is served from, such as /v0.1.0/ for one of several versions. */
const base = process.env.OKRA_DOCS_BASE ?? '/';
const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));

/** The files of the repository that pages link to, by their paths from the top; the site has them under files/. */
const linked = new Set();

/** How GitHub names the place of a heading, so that a link works in both. */
const slugify = (heading) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

/** The sections of docs/README.md with the pages that each links to. */
const contents = (await readFile(join(docs, 'README.md'), 'utf8'))
  .split(/^## /m)
  .slice(1)
  .map((section) => ({
    text: section.split('\n', 1)[0],
    collapsed: true,
    items: [...section.matchAll(/\[([^\]]+)\]\(([^):]+)\)/g)]
      .filter(([, , link]) => !link.startsWith('../'))
      .map(([, text, link]) => ({ text: text[0].toUpperCase() + text.slice(1), link: `/${asRoute(link)}` })),
  }));

/** The route of a page, from its path. */
function asRoute(link) {
  return link.replace(/\.md\b/, '').replace(/(^|\/)README\b/, '$1');
}

/** Sends links to files that are no pages to the copies that the site has of them. */
function linkFiles(md) {
  const fallback =
    md.renderer.rules.link_open ??
    ((tokens, at, options, _env, self) => self.renderToken(tokens, at, options));
  md.renderer.rules.link_open = (tokens, at, options, env, self) => {
    const href = tokens[at].attrGet('href') ?? '';
    if (!/^[a-z]+:|^#|^\//.test(href)) {
      const [path] = href.split('#');
      const target = posix.join(relative(root, dirname(env.path)), path);
      if (!target.startsWith('docs/') || !target.endsWith('.md')) {
        linked.add(target);
        tokens[at].attrSet('href', `${base}files/${target}`);
        tokens[at].attrSet('target', '_blank');
        return self.renderToken(tokens, at, options);
      }
    }
    return fallback(tokens, at, options, env, self);
  };
}

/** Shows what Vue would take for an expression, such as a template of a label. */
function showBraces(md) {
  const { escapeHtml } = md.utils;
  md.renderer.rules.code_inline = (tokens, at, _options, env) => {
    const { content } = tokens[at];
    return `<code${anchorOf(content, env)} v-pre>${escapeHtml(content)}</code>`;
  };
  md.renderer.rules.text = (tokens, at) => escapeHtml(tokens[at].content).replaceAll('{{', '&#123;&#123;');
}

/** The place of a reason, to which the dashboard links: where docs/troubleshooting.md says it first. */
function anchorOf(content, env) {
  env.reasons ??= new Set();
  const isFirst = /^[A-Z][A-Za-z]+$/.test(content) && !env.reasons.has(content);
  if (!isFirst || !env.path?.endsWith('troubleshooting.md')) return '';
  env.reasons.add(content);
  // The bar at the top of the site would cover it.
  return ` id="${content}" style="scroll-margin-top: 96px"`;
}

/** Shows a block marked as Mermaid as a diagram. */
function showDiagrams(md) {
  const { fence } = md.renderer.rules;
  md.renderer.rules.fence = (tokens, at, ...rest) =>
    tokens[at].info.trim() === 'mermaid'
      ? `<Diagram code="${encodeURIComponent(tokens[at].content)}" />`
      : fence(tokens, at, ...rest);
}

export default defineConfig({
  base,
  title: 'Okra',
  description: 'Progressive delivery for whole Kubernetes clusters behind AWS load balancers',
  srcDir: docs,
  srcExclude: ['site/**'],
  outDir: join(root, 'dist/docs'),
  cacheDir: join(root, '.cache/vitepress'),
  rewrites: { 'README.md': 'index.md', ':folder/README.md': ':folder/index.md' },
  cleanUrls: false,
  markdown: {
    anchor: { slugify },
    config: (md) => {
      linkFiles(md);
      showBraces(md);
      showDiagrams(md);
    },
  },
  vite: { esbuild: { tsconfigRaw: {} } },
  themeConfig: {
    nav: [
      { text: `Version ${version}`, link: '/' },
      { text: 'On call', link: '/on-call' },
    ],
    sidebar: contents,
    outline: [2, 3],
    search: { provider: 'local' },
  },
  async buildEnd({ outDir }) {
    for (const file of linked) {
      const copy = join(outDir, 'files', file);
      await mkdir(dirname(copy), { recursive: true });
      await cp(join(root, file), copy);
    }
    // As it is, since bundling it takes longer than all the rest.
    const mermaid = join(import.meta.dirname, '../node_modules/mermaid/dist');
    for (const part of ['mermaid.esm.min.mjs', 'chunks/mermaid.esm.min'])
      await cp(join(mermaid, part), join(outDir, 'mermaid', part), {
        recursive: true,
        filter: (file) => !file.endsWith('.map'),
      });
  },
});
