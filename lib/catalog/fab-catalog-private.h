/* fab-catalog-private.h - parts, their numbers with source and confidence, and node types
 *
 * A file of models/ holds parts of one kind:
 *
 *   kind: switch
 *   parts:
 *     qm9700:
 *       summary: NVIDIA Quantum-2, 64 ports NDR in 32 cages
 *       protocols: [infiniband]
 *       ports: {value: 64, source: "NVIDIA QM97X0 manual, Interfaces", confidence: high}
 *       latency: {value: 250ns, range: [130ns, 400ns], source: "…", confidence: estimate}
 *
 * or one node type (kind: node; see FabNodeType). What keys a kind has is the table of fab-catalog-schema.c, which
 * drives reading, checking, `fabsim catalog show` and docs/formats/models.md.
 */
#pragma once
#include "fab-catalog.h"
#include "base/fab-document-private.h"

G_BEGIN_DECLS

typedef enum
{
  FAB_PART_SPEED,         /* a link speed: NDR, HDR100, 25GbE */
  FAB_PART_PCIE,          /* a PCIe generation: gen4 */
  FAB_PART_GPU,
  FAB_PART_NIC,
  FAB_PART_SWITCH,
  FAB_PART_PCIE_SWITCH,
  FAB_PART_CPU,           /* a socket: root complex, memory, socket link */
  FAB_PART_NVSWITCH,
  FAB_PART_CABLE,
  FAB_PART_SOFTWARE,      /* costs of the software stack: NCCL's per-step figures */
  FAB_PART_RACK,          /* what a rack holds and how far copper reaches from it */
  FAB_N_PART_KINDS,
} FabPartKind;

typedef enum { FAB_CONFIDENCE_HIGH, FAB_CONFIDENCE_MEDIUM, FAB_CONFIDENCE_LOW, FAB_CONFIDENCE_ESTIMATE } FabConfidence;

/* What a key of a part holds. */
typedef enum { FAB_KEY_NUMBER, FAB_KEY_TEXT, FAB_KEY_LIST } FabKeyKind;

typedef struct
{
  const char        *key;          /* as in the file: "latency" */
  FabKeyKind         kind;
  FabUnit            unit;         /* of a number */
  guint64            least, most;  /* of a number, in inside units: within them nothing divides by zero or overflows */
  const char *const *words;        /* of a text or list: all it may say; NULL: anything */
  FabPartKind        names;        /* of a text or list: it names parts of this kind; FAB_N_PART_KINDS: no parts */
  gboolean           required;
  const char        *meaning;      /* a sentence with the unit, for catalog show and the docs */
} FabPartKey;

typedef struct
{
  guint64       value, low, high;   /* inside units; low = high = value without a range */
  FabUnit       unit;
  FabConfidence confidence;
  const char   *key;
  gboolean      is_bare;            /* no source was given: @source is the place where the number stands */
  const char   *source;
  const char   *note;               /* NULL: none */
} FabNumber;

typedef struct _FabPart FabPart;

const FabPartKey *fab__part_kind_keys (FabPartKind kind, gsize *n_keys);
const char       *fab__part_kind_name (FabPartKind kind);   /* "pcie-switch" */

const FabPart *fab__catalog_lookup  (const FabCatalog *catalog, FabPartKind kind, const char *name);   /* NULL: none */
/* All parts of a kind in name order; @n_parts set; borrowed pointers, caller frees the array. */
const FabPart **fab__catalog_list   (const FabCatalog *catalog, FabPartKind kind, gsize *n_parts);
/* For an error: the lookup, or an error at @item "expected a switch, got “qm970”; did you mean “qm9700”?". */
const FabPart *fab__catalog_require (const FabCatalog *catalog, FabPartKind kind, const FabItem *item, GError **error);

FabPartKind      fab__part_kind    (const FabPart *part);
const char      *fab__part_name    (const FabPart *part);
const char      *fab__part_summary (const FabPart *part);
const FabNumber *fab__part_lookup  (const FabPart *part, const char *key);    /* NULL: the file gives none */
guint64          fab__part_value   (const FabPart *part, const char *key, guint64 fallback);
const char      *fab__part_text    (const FabPart *part, const char *key);    /* NULL: none */
const char *const *fab__part_list  (const FabPart *part, const char *key);    /* NULL-terminated; empty: none */
gboolean         fab__part_lists   (const FabPart *part, const char *key, const char *text);

/* A catalog with @models ({part: {key: value | {value, range, source, confidence}}}) over it; also new parts, which
 * say `kind:`. An unknown part without a kind, an unknown key, or a port taken from a card that a node type uses it on
 * is an error. Shares what did not change. */
FabCatalog *fab__catalog_over      (FabCatalog *catalog, const FabItem *models, GError **error);
/* One number changed, for the ends of a range; the part and key must exist. O(parts). */
FabCatalog *fab__catalog_with_value (FabCatalog *catalog, FabPartKind kind, const char *part, const char *key, guint64 value);

/* What is wrong with a number of part @name, or with node type @name's own source; all borrowed. */
typedef struct { const char *name, *key, *what; } FabCatalogFault;

/* All of them, parts in kind, name and key order, then node types; a GArray of FabCatalogFault, caller's. */
GArray *fab__catalog_faults (const FabCatalog *catalog);

/* ---- node types ----
 *
 *   kind: node
 *   name: l40s-8
 *   summary: …
 *   devices:
 *     cpu[0-1]: {part: xeon-spr}          # a hostlist; kind and name from the catalog
 *     sw[0-1]:  {part: pex89144}
 *     gpu[0-7]: {part: l40s}
 *     nic0:     {part: connectx-7-2x200}
 *   links:                                # element by element where both sides list as many, else all to the one
 *     - {a: "gpu[0-3]", b: sw0, pcie: gen4, lanes: 16}
 *     - {a: nic0, b: sw0, pcie: gen5, lanes: 16}
 *     - {a: cpu0, b: cpu1, socket: true}
 *   ports:                                # role → ports in order; the order is the rail
 *     compute: [nic0/p1, nic0/p2, nic1/p1, nic1/p2]
 *   affinity: {"gpu[0-1]": nic0/p1, …}    # the port a GPU uses for the network
 */
typedef struct
{
  const char    *name;     /* "gpu3" */
  const FabPart *part;     /* its kind tells what it is */
} FabNodeDevice;

typedef enum { FAB_NODE_LINK_PCIE, FAB_NODE_LINK_SOCKET, FAB_NODE_LINK_NVLINK } FabNodeLinkKind;

typedef struct
{
  guint32         a, b;          /* rows of devices[] */
  FabNodeLinkKind kind;
  const FabPart  *pcie;          /* the generation trained to; NULL unless PCIE */
  guint           lanes;         /* of PCIE */
  guint64         max_payload_bytes;  /* of PCIE: MPS; 0: the generation's default */
  guint64         flow_write_bps, flow_read_bps, aggregate_bps;   /* goodput caps given on the link; 0: none */
} FabNodeLink;

typedef struct
{
  guint32 device;   /* row of devices[] */
  guint   port;     /* from 1: "p1" */
} FabNodePort;

typedef struct
{
  const char  *role;       /* "compute": what a plane asks for */
  FabNodePort *ports;
  guint        n_ports;
} FabNodeRole;

typedef struct
{
  const char    *name, *summary, *source;
  FabNodeDevice *devices;
  guint          n_devices;
  FabNodeLink   *links;
  guint          n_links;
  FabNodeRole   *roles;
  guint          n_roles;
  guint32       *affinity;   /* one a device: row of roles["compute"].ports of a GPU, FAB_NONE where none is given */
} FabNodeType;

const FabNodeType *fab__catalog_lookup_node (const FabCatalog *catalog, const char *name);
const char       **fab__catalog_list_nodes  (const FabCatalog *catalog, gsize *n_names);   /* in name order; caller frees the array */
/* Reads a node type from @item (a file's root, or one entry of a design's `node_types:`) named @name. */
FabCatalog        *fab__catalog_with_node   (FabCatalog *catalog, const char *name, const FabItem *item, GError **error);

G_END_DECLS
