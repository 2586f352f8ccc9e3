#!/bin/sh
# test-hooks.sh HOOKS.DEF NSS_CFLAGS...: every function in the installed headers that takes or returns a PK11Context *, and that libnss3.so
# exports, is hooked; so is what invalidates the cache.
hooks=$1
shift
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
library=$(ldconfig -p | awk '$1 == "libnss3.so" { print $NF; exit }')
nm -D --defined-only "$library" | awk '$2 == "T" { sub(/@.*/, "", $3); print $3 }' | sort -u >"$dir/exports"
sed -n 's/^HOOK(\([A-Za-z0-9_]*\),.*/\1/p' "$hooks" | sort -u >"$dir/hooks"

# All declarations, one a line, without the attributes.
folder=$(for flag; do case $flag in -I*/nss*) echo "${flag#-I}" ;; esac; done | head -1)
for header in "$folder"/*.h; do
    # a header that can't stand alone is read with the others
    echo "#include <${header##*/}>" | cc -E -P "$@" -x c - 2>/dev/null
done | tr '\n' ' ' | tr ';{}' '\n\n\n' >"$dir/declarations"
grep -E 'PK11Context *\*' "$dir/declarations" | grep -oE '[A-Za-z_0-9]+ *\(' | tr -d ' (' | sort -u |
    grep -Fxf "$dir/exports" >"$dir/of_contexts"
[ "$(wc -l <"$dir/of_contexts")" -ge 15 ] || { echo "the headers could not be read"; exit 1; }

# By name too: an export that the headers don't declare.
grep -E '^_*PK11_.*Context' "$dir/exports" | grep -v HPKE >>"$dir/of_contexts"
cat >>"$dir/of_contexts" <<'L'
SECMOD_AddNewModule
SECMOD_AddNewModuleEx
SECMOD_LoadModule
SECMOD_LoadUserModule
SECMOD_LoadUserModuleWithFunction
SECMOD_UnloadUserModule
SECMOD_DeleteModule
SECMOD_DeleteModuleEx
SECMOD_DeleteInternalModule
SECMOD_UpdateModule
SECMOD_UpdateSlotList
SECMOD_OpenUserDB
SECMOD_OpenNewSlot
SECMOD_CloseUserDB
SECMOD_WaitForAnyTokenEvent
SECMOD_RestartModules
PK11_UpdateSlotAttribute
PK11_UserEnableSlot
PK11_UserDisableSlot
PK11_ResetToken
PK11_InitPin
PK11_ChangePW
PK11_TokenRefresh
PK11_WaitForTokenEvent
PK11_Logout
PK11_LogoutAll
PK11_GetBestSlot
PK11_FreeSlot
PK11_ImportSymKey
PK11_FreeSymKey
PK11_GetKeyData
__PK11_GetKeyData
PK11_SetSymKeyUserData
PK11_SetSymKeyNickname
PK11_WriteRawAttribute
PK11_DeleteTokenSymKey
NSS_NoDB_Init
NSS_Init
NSS_InitReadWrite
NSS_Initialize
NSS_InitContext
NSS_InitWithMerge
NSS_Shutdown
NSS_ShutdownContext
L
# What this libnss3.so doesn't have need not be hooked; but most of it is there.
grep -Fxf "$dir/exports" "$dir/of_contexts" | sort -u >"$dir/wanted"
[ "$(wc -l <"$dir/wanted")" -ge 55 ] || { echo "libnss3.so could not be read"; exit 1; }
missing=$(grep -Fvxf "$dir/hooks" "$dir/wanted")
[ -z "$missing" ] || { echo "not hooked: $missing"; exit 1; }
# The comparison sees a hook that is missing.
grep -v '^PK11_DigestKey$' "$dir/hooks" >"$dir/fewer"
grep -Fvxf "$dir/fewer" "$dir/wanted" | grep -qx PK11_DigestKey || { echo "the check is blind"; exit 1; }
echo "$(wc -l <"$dir/wanted") functions are to be hooked, and are"
